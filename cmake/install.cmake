# What `cmake --install` installs of the program: component `program`. The driver's library is component `development` (cmake/nvme_package.cmake).
#
#   bin/fathom
#   libexec/fathom/fio, pmbench, spdk_nvme_perf   the program under the names that scripts call: outside of PATH, so that another program of such a
#                                                 name stays what it is (docs/install.md)
#   share/man/man1, completions of bash, zsh and fish, share/doc/fathom
#
# Man pages and completions are made by the program that is installed: `--target fathom` alone has not made them.
install(TARGETS fathom RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)

set(made ${PROJECT_BINARY_DIR}/install)
file(MAKE_DIRECTORY ${made}/libexec)
file(RELATIVE_PATH program /${FATHOM_LIBEXEC} /${CMAKE_INSTALL_BINDIR}/fathom)
foreach(name IN ITEMS fio pmbench spdk_nvme_perf)
  file(CREATE_LINK ${program} ${made}/libexec/${name} SYMBOLIC)
  install(FILES ${made}/libexec/${name} DESTINATION ${FATHOM_LIBEXEC} COMPONENT program)
endforeach()

if(NOT CMAKE_CROSSCOMPILING)
  foreach(front IN LISTS man_fronts)
    cmake_path(GET front STEM LAST_ONLY name)
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:fathom>\" \"-DSCDOC=${SCDOC}\"
      \"-DFRONT=${front}\" \"-DPAGE=${made}/${name}\" -P \"${PROJECT_SOURCE_DIR}/cmake/man_page.cmake\"
      COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
    install(FILES ${made}/${name} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  endforeach()

  foreach(shell IN ITEMS bash zsh fish)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:fathom>\" completion ${shell} OUTPUT_FILE \"${made}/completion.${shell}\"
      COMMAND_ERROR_IS_FATAL ANY)" COMPONENT program)
  endforeach()
  install(FILES ${made}/completion.bash DESTINATION ${FATHOM_BASH_COMPLETIONS} RENAME fathom COMPONENT program)
  install(FILES ${made}/completion.zsh DESTINATION ${FATHOM_ZSH_COMPLETIONS} RENAME _fathom COMPONENT program)
  install(FILES ${made}/completion.fish DESTINATION ${FATHOM_FISH_COMPLETIONS} RENAME fathom.fish COMPONENT program)
endif()

# Documents for users, with the paths that they have in the sources: their links stay valid.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/packaging/copyright
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program PATTERN dev EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
