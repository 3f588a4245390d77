# build/fathom, and build/fio, build/spdk_nvme_perf and build/pmbench: the same program under the names that existing scripts call.
add_executable(fathom ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(fathom PRIVATE fathom_cli)
if(FATHOM_ABLATIONS)
  target_link_libraries(fathom PRIVATE fathom_ablations)
endif()
fathom_lto_link(fathom)
fathom_with_plugins(fathom)
fathom_precompile(fathom ROOM)
set_target_properties(fathom PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_custom_command(TARGET fathom POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink fathom ${PROJECT_BINARY_DIR}/fio
  COMMAND ${CMAKE_COMMAND} -E create_symlink fathom ${PROJECT_BINARY_DIR}/spdk_nvme_perf
  COMMAND ${CMAKE_COMMAND} -E create_symlink fathom ${PROJECT_BINARY_DIR}/pmbench)
include(cmake/man.cmake)
