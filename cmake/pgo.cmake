# Profile-guided build, driven by scripts/pgo: FATHOM_PGO=generate writes a .gcda file beside each object when the program ends, =use reads
# those that lie beside its own objects. Counters are atomic, as workers are threads there.
set(FATHOM_PGO "" CACHE STRING "generate or use; empty: neither")
if(FATHOM_PGO STREQUAL "generate")
  add_compile_options(-fprofile-generate -fprofile-update=atomic -DFATHOM_PROFILED)
  add_link_options(-fprofile-generate)
elseif(FATHOM_PGO STREQUAL "use")
  # What the training did not run is built as without a profile, not for size. -Wno-stringop-overflow: inlined fmt, falsely.
  add_compile_options(-fprofile-use -fprofile-partial-training -Wno-missing-profile -Wno-stringop-overflow)
  add_link_options(-fprofile-use)
elseif(FATHOM_PGO)
  message(FATAL_ERROR "FATHOM_PGO=${FATHOM_PGO}: generate or use")
endif()
if(FATHOM_PGO)
  unset(CMAKE_CXX_COMPILER_LAUNCHER)  # the compiler's cache does not see the profile
endif()
