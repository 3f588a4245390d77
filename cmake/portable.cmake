# build/portable/fathom, the program of the tarball (scripts/release): linked from the same objects as `fathom`, and with the archives of its libraries.
# A library without an archive in Debian (fmt, isal) is installed to lib/fathom, where the program finds it from any directory. So the tarball needs
# only libc6 and libstdc++6. Component `portable` replaces bin/fathom of component `program`.
function(fathom_use_archives)
  foreach(package IN LISTS ARGN)
    get_target_property(libraries ${package} INTERFACE_LINK_LIBRARIES)
    set(either "")
    foreach(library IN LISTS libraries)
      string(REGEX REPLACE "\\.so$" ".a" archive "${library}")
      if(EXISTS ${archive})
        list(APPEND either "$<IF:$<BOOL:$<TARGET_PROPERTY:FATHOM_PORTABLE>>,${archive},${library}>")  # a property of the program that is linked
      else()
        list(APPEND either ${library})
      endif()
    endforeach()
    set_target_properties(${package} PROPERTIES INTERFACE_LINK_LIBRARIES "${either}")
  endforeach()
endfunction()
fathom_use_archives(PkgConfig::BLKID PkgConfig::EVENT PkgConfig::ISAL PkgConfig::MINIZIP PkgConfig::PUGIXML PkgConfig::SQLITE PkgConfig::URING PkgConfig::XXHASH PkgConfig::ZLIB AIO::AIO)

add_executable(fathom_portable EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(fathom_portable PRIVATE fathom_cli)
fathom_lto_link(fathom_portable)
fathom_precompile(fathom_portable ROOM)
set_target_properties(fathom_portable PROPERTIES FATHOM_PORTABLE ON OUTPUT_NAME fathom RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/portable
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../${FATHOM_PRIVATE_LIBRARIES}")
install(TARGETS fathom_portable RUNTIME_DEPENDENCIES PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|gcc_s|stdc\\+\\+)\\.so"
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT portable EXCLUDE_FROM_ALL
  LIBRARY DESTINATION ${FATHOM_PRIVATE_LIBRARIES} COMPONENT portable EXCLUDE_FROM_ALL)
