# Disassembles the kernels and fails on an instruction that must not be there:
#   fused multiply-add: g++ makes it of separate intrinsics unless told not to
#   (-ffp-contract=off), and it rounds once where we promise two roundings
#   AVX-VNNI: allowed by the AVX3_DL target's pragma, but cpu.cc does not ask
#   for it, since Ice Lake and Zen 4 lack it
execute_process(
  COMMAND ${OBJDUMP} -d --no-show-raw-insn ${ARCHIVE}
  COMMAND grep -E "v(add|mul)p[sd]|vfn?m(add|sub)|vpdp"
  OUTPUT_VARIABLE code RESULTS_VARIABLE results)
string(REGEX MATCHALL "v(add|mul)p[sd]" arithmetic "${code}")
list(LENGTH arithmetic count)
if(count LESS 100)
  message(FATAL_ERROR "only ${count} additions and multiplications in "
    "${ARCHIVE} (${results}): is this the library of kernels?")
endif()
string(REGEX MATCHALL "[^\n]*(vfn?m(add|sub)|vpdp)[^\n]*" forbidden "${code}")
if(forbidden)
  list(LENGTH forbidden count)
  list(SUBLIST forbidden 0 10 some)
  list(JOIN some "\n" some)
  message(FATAL_ERROR "${count} forbidden instructions:\n${some}")
endif()
