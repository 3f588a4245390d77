# build/fathom, and build/fio: the same program under the name that existing scripts call.
add_executable(fathom ${PROJECT_SOURCE_DIR}/src/cli/main.cc)
target_link_libraries(fathom PRIVATE fathom_cli)
fathom_lto_link(fathom)
set_target_properties(fathom PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_custom_command(TARGET fathom POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink fathom ${PROJECT_BINARY_DIR}/fio)
install(TARGETS fathom DESTINATION bin)
include(cmake/man.cmake)
