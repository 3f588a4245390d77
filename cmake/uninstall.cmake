# `cmake --build build --target uninstall` removes the files that install_manifest*.txt names, which CMake writes, and the directories that the
# installation made. Which those are is known only before the first file is written, so that is the first step of an installation: directories that do
# not exist yet are added to install_made.txt. An installed directory that this list lacks stays; tests/house/install_test.py finds it.
include(GNUInstallDirs)
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(FATHOM_LIBEXEC ${CMAKE_INSTALL_LIBEXECDIR}/fathom)
set(FATHOM_BASH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
set(FATHOM_ZSH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/zsh/site-functions CACHE STRING "directory of zsh completions, below the prefix")
set(FATHOM_FISH_COMPLETIONS ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
set(FATHOM_PRIVATE_LIBRARIES lib/fathom)
set(FATHOM_NVME_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/fathom_nvme)

set(directories ${CMAKE_INSTALL_BINDIR} ${FATHOM_LIBEXEC} ${CMAKE_INSTALL_MANDIR}/man1 ${FATHOM_BASH_COMPLETIONS} ${FATHOM_ZSH_COMPLETIONS} ${FATHOM_FISH_COMPLETIONS}
  ${CMAKE_INSTALL_DOCDIR}/docs/pictures ${CMAKE_INSTALL_DOCDIR}/docs/reference ${CMAKE_INSTALL_DOCDIR}/docs/schema ${CMAKE_INSTALL_DOCDIR}/examples/engine ${CMAKE_INSTALL_DOCDIR}/examples/nvme
  ${FATHOM_PRIVATE_LIBRARIES} ${CMAKE_INSTALL_INCLUDEDIR}/fathom/base ${CMAKE_INSTALL_INCLUDEDIR}/fathom/nvme ${FATHOM_NVME_PACKAGE})
install(CODE "
  foreach(directory IN ITEMS ${directories})
    set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${directory}\")
    while(NOT path STREQUAL \"\" AND NOT EXISTS \"\${path}\")
      file(APPEND \"${PROJECT_BINARY_DIR}/install_made.txt\" \"\${path}\\n\")
      cmake_path(GET path PARENT_PATH path)
    endwhile()
  endforeach()" ALL_COMPONENTS)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall_script.cmake VERBATIM)
