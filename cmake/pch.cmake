# Precompiled headers: most of what a unit costs to compile is reading the standard library and fmt again. They are read once for the rooms
# (once more for cold ones) and, with GoogleTest, for the tests; what few units include stays out, as each unit pays for the size of what it loads.
# Only through an -include on the command line: clang-tidy, tests/house/headers_test.py and preset clang see each file as it stands, so that an
# include that was forgotten is found there. With clang and its sanitizers a unit takes 2 s instead of 3.5 so (g++: 5). Beside ccache they cost,
# too: a hundred MB are hashed a unit, so that one it knows takes some 0.4 s of CPU on a busy machine.
option(FATHOM_PCH "precompiled headers" ON)

set(FATHOM_PCH_ROOM <algorithm> <array> <bit> <cerrno> <charconv> <cmath> <cstdint> <cstdio> <cstdlib> <cstring> <functional> <limits> <map>
  <memory> <optional> <set> <span> <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
set(FATHOM_PCH_COLD ${FATHOM_PCH_ROOM})  # compiled as cmake/cold.cmake says
set(FATHOM_PCH_TEST ${FATHOM_PCH_ROOM} <gtest/gtest.h>)
set(FATHOM_PCH_COUNTED ${FATHOM_PCH_TEST})

# fathom_precompile(TARGET ROOM|COLD|TEST|COUNTED [OPTION...]): TARGET's units begin with that header, compiled with these options, which all of a kind
# must have: g++ takes none of another -O0. Further definitions of TARGET must mean nothing in it.
function(fathom_precompile target kind)
  if(NOT FATHOM_PCH)
    return()
  endif()
  string(TOLOWER fathom_pch_${kind} pch)
  if(NOT TARGET ${pch})
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/${pch}.cc CONTENT "// Belongs to the precompiled header.\n")
    add_library(${pch} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/generated/${pch}.cc)
    target_precompile_headers(${pch} PRIVATE ${FATHOM_PCH_${kind}})
    target_compile_options(${pch} PRIVATE ${ARGN})
    target_link_libraries(${pch} PRIVATE fmt::fmt)
    if(kind MATCHES "TEST|COUNTED")
      target_link_libraries(${pch} PRIVATE GTest::gtest)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${pch})
endfunction()
