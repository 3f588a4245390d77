# fathom_discover_suites(TARGET PREFIX): a ctest test for each suite of a GoogleTest program, because starting the program takes longer than
# most tests do. Tests whose name begins with "Timed" (tests/base/attempts.h) become a ctest test of their own with the label `timing`, which is a
# part of scripts/check; all others have the label `quick`. Discovered after the build, by this same file as a script.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.25)
  execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "[;#][^\n]*" "" listed "${listed}")
  string(REPLACE "\n" ";" lines "${listed}")
  set(tests "")
  set(suites "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^([^ ]+)\\. *$")
      set(suite ${CMAKE_MATCH_1})
      list(APPEND suites ${suite})
    elseif(line MATCHES "^  Timed")
      list(APPEND timed ${suite})
    elseif(line MATCHES "^  .")
      list(APPEND counted ${suite})
    endif()
  endforeach()
  foreach(suite IN LISTS suites)
    if(suite IN_LIST counted)
      string(APPEND tests "add_test([=[${PREFIX}${suite}]=] [=[${PROGRAM}]=] --gtest_brief=1 [=[--gtest_filter=${suite}.*-${suite}.Timed*]=])\n"
        "set_tests_properties([=[${PREFIX}${suite}]=] PROPERTIES LABELS quick TIMEOUT 300 WORKING_DIRECTORY [=[${FOLDER}]=])\n")
    endif()
    if(suite IN_LIST timed)
      string(APPEND tests "add_test([=[${PREFIX}${suite}.timed]=] [=[${PROGRAM}]=] --gtest_brief=1 [=[--gtest_filter=${suite}.Timed*]=])\n"
        "set_tests_properties([=[${PREFIX}${suite}.timed]=] PROPERTIES LABELS timing RUN_SERIAL TRUE TIMEOUT 600 WORKING_DIRECTORY [=[${FOLDER}]=])\n")
    endif()
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
