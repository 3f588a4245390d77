# Link-time optimisation of the rooms that make requests (FATHOM_LTO, on in preset release). Of what is done for every I/O only they call
# from unit to unit: without, an I/O costs up to a hundred instructions more where blocks have several sizes. The loops, the engines' calls
# and the pair around an access are templates and inline functions, each whole in one unit, and come out the same with and without; all
# else would only make each link take minutes. The rooms' objects are fat, machine code beside the intermediate one: `fathom` is linked from
# the intermediate code, what else links them from the machine code. What the marks (src/base/marks.h) show is the program after this.
option(FATHOM_LTO "link-time optimisation of the program (g++)" OFF)
set(FATHOM_LTO_ROOMS pattern workload)
set(FATHOM_LTO_UNITS
  src/run/checks/verification.cc  # calls into workload/ for every block that it reads back
  src/verify/block.cc src/verify/header.cc src/verify/methods.cc src/verify/digest/crc.cc src/verify/digest/digest_crc.cc)  # call each other for every block
if(FATHOM_LTO)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "FATHOM_LTO: fat objects are made by g++ only, this is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(CMAKE_CXX_COMPILER_AR AND CMAKE_CXX_COMPILER_RANLIB)  # they index the intermediate code too
    set(CMAKE_AR ${CMAKE_CXX_COMPILER_AR})
    set(CMAKE_RANLIB ${CMAKE_CXX_COMPILER_RANLIB})
  endif()
endif()

# What may become part of the program so.
function(fathom_lto_compile target room)
  if(FATHOM_LTO AND room IN_LIST FATHOM_LTO_ROOMS)
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
  endif()
  if(FATHOM_LTO)
    set_source_files_properties(${FATHOM_LTO_UNITS} PROPERTIES COMPILE_OPTIONS "-flto=auto;-ffat-lto-objects")
  endif()
endfunction()

# The program itself; and any other program that links the rooms.
function(fathom_lto_link target)
  if(FATHOM_LTO)
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()
# Such a program needs no particular linker: it takes a fast one, where Debian's mold or lld is installed.
find_program(FATHOM_FAST_LINKER NAMES ld.mold ld.lld DOC "links the test programs; empty: the compiler's own linker")
function(fathom_plain_link target)
  if(FATHOM_LTO)
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
  if(NOT CMAKE_CROSSCOMPILING AND FATHOM_FAST_LINKER MATCHES "ld[.](mold|lld)$")
    target_link_options(${target} PRIVATE -fuse-ld=${CMAKE_MATCH_1})
  endif()
endfunction()
