# What is compiled with less optimisation than the rest. Rooms that no I/O and no access passes through read options, reckon after the run and
# print: -O1 takes g++ a quarter less time there than -O2. Tests take a third less with -O0 than with -O1; only programs in which scripts count
# instructions or cache lines keep -O1. (Under a sanitizer all is -O0, see CMakePresets.json: compiling takes longer there than testing.)
# Tests have no debug information: GoogleTest prints the line that failed, and compiling takes a seventh less.
set(FATHOM_COUNTED_TESTS loops paging)
set(FATHOM_COLD_ROOMS pmu host options job result import bundle compare history sweep audit report live paging_job witness session cli)
set(FATHOM_COLD_OPTIMIZATION -O1 CACHE STRING "of rooms that no I/O passes through; -Os: the smallest program")
set(FATHOM_COLD_OPTIONS "")
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-O2")
  set(FATHOM_COLD_OPTIONS ${FATHOM_COLD_OPTIMIZATION})
endif()

# The options of a room's tests, and the kind of their precompiled header.
function(fathom_test_options room options kind)
  set(${options} "" PARENT_SCOPE)
  set(${kind} TEST PARENT_SCOPE)
  if(FATHOM_COLD_OPTIONS AND room IN_LIST FATHOM_COUNTED_TESTS)
    set(${options} -O1 PARENT_SCOPE)
    set(${kind} COUNTED PARENT_SCOPE)
  elseif(FATHOM_COLD_OPTIONS)
    set(${options} -O0 -g0 PARENT_SCOPE)
  elseif(FATHOM_SANITIZE)
    set(${options} -g0 PARENT_SCOPE)
  endif()
endfunction()

function(fathom_cold_compile target)
  target_compile_options(${target} PRIVATE ${FATHOM_COLD_OPTIONS})
endfunction()
