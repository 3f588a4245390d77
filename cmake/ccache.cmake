# ccache, where it is found, for g++. What it has kept is found again from any checkout: paths are taken from the source folder, and no unit's
# command names that folder otherwise. A header may be precompiled (cmake/pch.cmake); with clang it is one or the other, and precompiled
# headers gain more where nothing has been compiled before. -fpch-preprocess is what ccache needs to see that a header was precompiled.
find_program(CCACHE ccache)
if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  add_compile_options(-fpch-preprocess)
endif()
