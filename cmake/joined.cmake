# Joined units: the .cc files of one folder are compiled as one unit, because most of what a unit costs is reading its headers and making again the
# templates that they share. What a file declares in an anonymous namespace must therefore have a name of its own in its folder; the compiler reports two
# of one name. scripts/lint and preset clang compile each file alone, so that a missing include is found there.
option(FATHOM_JOINED "compile the files of a folder as one unit" ON)
if(FATHOM_JOINED AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wno-subobject-linkage)  # g++ takes a .cc file of a joined unit for a header
endif()

# How much g++ inlines depends on the size of the unit. So a room whose loops are measured to the instruction is compiled file by file.
set(FATHOM_ALONE_ROOMS loops)

# fathom_alone(FILE...): these stay units of their own.
function(fathom_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
fathom_alone(src/engine/queue/io_uring_cmd.cc src/engine/queue/io_uring_cmd_shaper.cc)  # 5 instructions per I/O fewer than joined

# fathom_join(TARGET ROOM): joins TARGET's sources by folder.
function(fathom_join target room)
  if(NOT FATHOM_JOINED OR room IN_LIST FATHOM_ALONE_ROOMS)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(REPLACE "/" "_" group ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
