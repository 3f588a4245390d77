# What is compiled with less optimisation than the rest. Rooms that no I/O and no access passes through read options, reckon after the run and
# print: -O1 takes g++ a quarter less time there than -O2, and so it does for the tests. Under a sanitizer it is -O0 instead of -O1, a third
# less (UndefinedBehaviorSanitizer's checks are what the optimiser works on); so are the ablations of the NVMe loop, which cost two minutes.
set(FATHOM_COLD_ROOMS options job result import audit report live cli)
set(FATHOM_COLD_OPTIONS "")
if(FATHOM_SANITIZE)
  set(FATHOM_COLD_OPTIONS -O0)
  set_source_files_properties(src/loops/nvme_tricks.cc src/loops/nvme_copies.cc PROPERTIES COMPILE_OPTIONS "-O0" SKIP_PRECOMPILE_HEADERS ON)
elseif(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-O2")
  set(FATHOM_COLD_OPTIONS -O1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND FATHOM_COLD_OPTIONS -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)  # of std::string: g++ 12 is wrong there
  endif()
endif()

function(fathom_cold_compile target)
  target_compile_options(${target} PRIVATE ${FATHOM_COLD_OPTIONS})
endfunction()
