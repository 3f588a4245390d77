# Link-time optimisation of the final program (FATHOM_LTO, on in preset release). The rooms are compiled to fat objects, machine code beside
# the intermediate one: `fathom` is linked from the intermediate code as one unit, the test programs from the machine code, so that the
# dozen of them link as fast as without. What the marks (src/base/marks.h) show is the program after this.
option(FATHOM_LTO "link-time optimisation of the program (g++)" OFF)
if(FATHOM_LTO)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "FATHOM_LTO: fat objects are made by g++ only, this is ${CMAKE_CXX_COMPILER_ID}")
  endif()
  if(CMAKE_CXX_COMPILER_AR AND CMAKE_CXX_COMPILER_RANLIB)  # they index the intermediate code too
    set(CMAKE_AR ${CMAKE_CXX_COMPILER_AR})
    set(CMAKE_RANLIB ${CMAKE_CXX_COMPILER_RANLIB})
  endif()
endif()

# What becomes part of the program.
function(fathom_lto_compile target)
  if(FATHOM_LTO)
    target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
  endif()
endfunction()

# The program itself; and any other program that links the rooms.
function(fathom_lto_link target)
  if(FATHOM_LTO)
    fathom_lto_compile(${target})
    target_link_options(${target} PRIVATE -flto=auto)
  endif()
endfunction()
function(fathom_plain_link target)
  if(FATHOM_LTO)
    target_link_options(${target} PRIVATE -fno-lto)
  endif()
endfunction()
