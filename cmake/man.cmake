# build/fathom.1 and a page for each subcommand: man/NAME.1.scd with each @OPTIONS@ line replaced by what the program says of its own options,
# so that a page cannot disagree with the parser. Left out where scdoc is not installed.
find_program(SCDOC scdoc)
set(man_fronts "")
if(SCDOC AND NOT CMAKE_CROSSCOMPILING)
  file(GLOB man_fronts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.1.scd)
  foreach(front IN LISTS man_fronts)
    cmake_path(GET front STEM LAST_ONLY name)
    set(page ${PROJECT_BINARY_DIR}/${name})
    add_custom_command(OUTPUT ${page}
      COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:fathom> -DSCDOC=${SCDOC} -DFRONT=${front} -DPAGE=${page}
              -P ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake
      DEPENDS fathom ${front} ${PROJECT_SOURCE_DIR}/cmake/man_page.cmake VERBATIM)
    list(APPEND man_pages ${page})
  endforeach()
  add_custom_target(man ALL DEPENDS ${man_pages})
endif()
