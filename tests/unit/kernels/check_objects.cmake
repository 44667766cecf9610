# Disassembles the kernels and fails on an instruction that must not be there:
#   fused multiply-add: g++ makes it of separate intrinsics unless told not to
#   (-ffp-contract=off), and it rounds once where we promise two roundings.
#   FUSED lists the objects whose source asks for it, separated by commas
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" FUSED "${FUSED}")

execute_process(
  COMMAND ${OBJDUMP} -d --no-show-raw-insn ${ARCHIVE}
  COMMAND grep -E "file format|v(add|mul)p[sd]|vfn?m(add|sub)"
  OUTPUT_VARIABLE code RESULTS_VARIABLE results)
string(REGEX MATCHALL "v(add|mul)p[sd]" arithmetic "${code}")
list(LENGTH arithmetic count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} additions and multiplications in "
    "${ARCHIVE} (${results}): is this the library of kernels?")
endif()

# One piece for each object, beginning with its name.
string(REPLACE ";" "," code "${code}")
string(REGEX REPLACE "([^\n]*\\.o): *file format[^\n]*" ";\\1" code "${code}")
set(seen "")
foreach(piece IN LISTS code)
  if(NOT piece MATCHES "^([^\n]*)\\.cc\\.o")
    continue()
  endif()
  set(object "${CMAKE_MATCH_1}")
  list(APPEND seen ${object})
  if(object IN_LIST FUSED)
    if(NOT piece MATCHES "vfn?m(add|sub)")
      message(FATAL_ERROR "no fused multiply-add in ${object}")
    endif()
    continue()
  endif()
  string(REGEX MATCHALL "[^\n]*vfn?m(add|sub)[^\n]*" forbidden "${piece}")
  if(forbidden)
    list(LENGTH forbidden count)
    list(SUBLIST forbidden 0 10 some)
    list(JOIN some "\n" some)
    message(FATAL_ERROR "${count} forbidden instructions in ${object}:\n${some}")
  endif()
endforeach()
foreach(object IN LISTS FUSED ITEMS arithmetic divide)
  if(NOT object IN_LIST seen)
    message(FATAL_ERROR "no object ${object} in ${ARCHIVE}: ${seen}")
  endif()
endforeach()
