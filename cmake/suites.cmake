# fathom_discover_suites(TARGET PREFIX): a test of ctest's for each suite of a GoogleTest program, where gtest_discover_tests() has one for each
# test: under a sanitizer starting the program takes longer than nearly all tests do. Discovered after the build, by this same file as a script.
if(CMAKE_SCRIPT_MODE_FILE)
  execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "(^|\n)[^ \n][^ \n]*\\." suites "${listed}")
  set(tests "")
  foreach(suite IN LISTS suites)
    string(STRIP "${suite}" suite)
    string(REGEX REPLACE "\\.$" "" name "${suite}")
    string(APPEND tests "add_test([=[${PREFIX}${name}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}*]=])\n"
      "set_tests_properties([=[${PREFIX}${name}]=] PROPERTIES LABELS quick TIMEOUT 600 WORKING_DIRECTORY [=[${FOLDER}]=])\n")
  endforeach()
  file(WRITE ${OUTPUT} "${tests}")
  return()
endif()

function(fathom_discover_suites target prefix)
  set(output ${PROJECT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:${target}> -D PREFIX=${prefix} -D OUTPUT=${output} -D FOLDER=${PROJECT_BINARY_DIR}
      -P ${PROJECT_SOURCE_DIR}/cmake/suites.cmake VERBATIM)
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${output})
endfunction()
