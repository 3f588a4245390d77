# What is compiled with less optimisation than the rest. Rooms that no I/O and no access passes through read options, reckon after the run and
# print: -O1 takes g++ a quarter less time there than -O2, and so it does for the tests. (Under a sanitizer all is -O0, see CMakePresets.json:
# UndefinedBehaviorSanitizer's checks are what an optimiser works on, and compiling takes longer there than testing.)
set(FATHOM_COLD_ROOMS options job result import compare sweep audit report live paging_job witness session cli)
set(FATHOM_COLD_OPTIONS "")
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-O2")
  set(FATHOM_COLD_OPTIONS -O1)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND FATHOM_COLD_OPTIONS -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)  # of std::string: g++ 12 is wrong there
  endif()
endif()

function(fathom_cold_compile target)
  target_compile_options(${target} PRIVATE ${FATHOM_COLD_OPTIONS})
endfunction()
