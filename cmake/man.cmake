# build/fathom.1: man/fathom.1.scd with its @OPTIONS@ line replaced by what the program says of its own options, so that the page cannot
# disagree with the parser. Left out where scdoc is not installed.
find_program(SCDOC scdoc)
if(SCDOC AND NOT CMAKE_CROSSCOMPILING)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/fathom.1
    COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:fathom> -DSCDOC=${SCDOC} -DFRONT=${PROJECT_SOURCE_DIR}/man/fathom.1.scd
            -DPAGE=${PROJECT_BINARY_DIR}/fathom.1 -P ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake
    DEPENDS fathom ${PROJECT_SOURCE_DIR}/man/fathom.1.scd ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake VERBATIM)
  add_custom_target(man ALL DEPENDS ${PROJECT_BINARY_DIR}/fathom.1)
  # Made once more when it is installed, from the program that is installed: `--target fathom` alone has not made it.
  set(installed_page ${PROJECT_BINARY_DIR}/install/fathom.1)
  install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:fathom>\" \"-DSCDOC=${SCDOC}\"
    \"-DFRONT=${PROJECT_SOURCE_DIR}/man/fathom.1.scd\" \"-DPAGE=${installed_page}\" -P \"${PROJECT_SOURCE_DIR}/cmake/man_page.cmake\"
    COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${installed_page} DESTINATION share/man/man1)
endif()
