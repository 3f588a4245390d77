# What the page of a report is made of beside its tables (src/report/page/assets/, third_party/uplot/): bytes in the program, each with its SHA-256,
# by which the page's content policy lets it run and nothing else.
function(fathom_page_asset name file)
  set(bytes ${PROJECT_BINARY_DIR}/generated/fathom_page_${name}.h)
  if(NOT EXISTS ${bytes})
    file(WRITE ${bytes} "0,\n")  # until it is built, for who only reads the sources
  endif()
  set(hash ${PROJECT_BINARY_DIR}/generated/fathom_page_${name}_sha256.h)
  if(NOT EXISTS ${hash})
    file(WRITE ${hash} "\"\"\n")
  endif()
  add_custom_command(OUTPUT ${bytes} ${hash}
    COMMAND ${CMAKE_COMMAND} -DFROM=${file} -DTO=${bytes} -P ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake
    COMMAND ${CMAKE_COMMAND} -DFROM=${file} -DTO=${hash} -P ${PROJECT_SOURCE_DIR}/cmake/sha256.cmake
    DEPENDS ${file} ${PROJECT_SOURCE_DIR}/cmake/bytes.cmake ${PROJECT_SOURCE_DIR}/cmake/sha256.cmake COMMENT "Bytes of ${name}" VERBATIM)
  set_property(SOURCE src/report/page/assets.cc APPEND PROPERTY OBJECT_DEPENDS ${bytes} ${hash})
endfunction()
fathom_alone(src/report/page/assets.cc)
fathom_page_asset(style ${PROJECT_SOURCE_DIR}/src/report/page/assets/page.css)
# A script is one for its hash, and files of one idea each for its readers; the last one starts it.
function(fathom_page_script name)
  list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/src/report/page/assets/ OUTPUT_VARIABLE parts)
  set(joined ${PROJECT_BINARY_DIR}/generated/fathom_page_${name}.js)
  add_custom_command(OUTPUT ${joined}
    COMMAND ${CMAKE_COMMAND} "-DFROM=${parts}" -DTO=${joined} -P ${PROJECT_SOURCE_DIR}/cmake/joined_script.cmake
    DEPENDS ${parts} ${PROJECT_SOURCE_DIR}/cmake/joined_script.cmake COMMENT "Script ${name}" VERBATIM)
  fathom_page_asset(${name} ${joined})
endfunction()
set(FATHOM_PAGE_PLOTS numbers.js colours.js drawing.js rows.js nearby.js packed.js figures.js latencies.js series.js asked.js parts.js paging.js compare.js sweep.js counters.js show.js)
fathom_page_script(script ${FATHOM_PAGE_PLOTS} wide.js main.js)
fathom_page_script(viewer_script ${FATHOM_PAGE_PLOTS}
  viewer/distributions.js viewer/read_ours.js viewer/read_fio_json.js viewer/read_fio_log.js viewer/xml.js viewer/read_pmbench.js viewer/read_pmbench_ours.js viewer/read_any.js
  viewer/measures.js viewer/overlay.js viewer/tables.js viewer/merged.js viewer/pivot.js viewer/list.js viewer/viewer.js)
fathom_page_asset(viewer_style ${PROJECT_SOURCE_DIR}/src/report/page/assets/viewer/viewer.css)
fathom_page_asset(viewer_body ${PROJECT_SOURCE_DIR}/src/report/page/assets/viewer/viewer.html)
fathom_page_script(live_script ${FATHOM_PAGE_PLOTS} wide.js live/live.js)
fathom_page_asset(live_body ${PROJECT_SOURCE_DIR}/src/report/page/assets/live/live.html)
fathom_page_asset(plot_style ${PROJECT_SOURCE_DIR}/third_party/uplot/uPlot.min.css)
fathom_page_asset(plot_script ${PROJECT_SOURCE_DIR}/third_party/uplot/uPlot.iife.min.js)
