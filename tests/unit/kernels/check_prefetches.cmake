# Disassembles a library and fails if one of OBJECTS, separated by commas, asks
# for no cache line: nothing but time shows a prefetch that the compiler left
# out, and g++ 12 takes functions that only prefetch for such without effects.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" OBJECTS "${OBJECTS}")

execute_process(
  COMMAND ${OBJDUMP} -d --no-show-raw-insn ${ARCHIVE}
  COMMAND grep -E "file format|prefetch"
  OUTPUT_VARIABLE code)
foreach(object IN LISTS OBJECTS)
  if(NOT code MATCHES "(^|\n)${object}\\.cc\\.o: *file format[^\n]*\n[^\n]*prefetch")
    message(FATAL_ERROR "no prefetch in ${object} of ${ARCHIVE}")
  endif()
endforeach()
