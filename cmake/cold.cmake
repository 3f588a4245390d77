# Rooms that no I/O and no access passes through: they read options, reckon after the run, and print. g++ takes a quarter less time to compile
# them with -O1, and nobody can tell the programs apart: a thousand jobs start, and a result of 100 MB prints, in the same time. Only where
# the build would have taken -O2 (preset release); sanitizers and -O0 stay what they are.
set(FATHOM_COLD_ROOMS options job result import audit report live cli)

function(fathom_cold_compile target room)
  if(room IN_LIST FATHOM_COLD_ROOMS AND CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND CMAKE_CXX_FLAGS_RELWITHDEBINFO MATCHES "-O2")
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
