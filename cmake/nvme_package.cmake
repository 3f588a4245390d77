# The NVMe driver as an installable library: headers under include/fathom, static libraries, and a CMake package
# (`find_package(fathom_nvme)` gives the target fathom::nvme). Headers in subfolders of src/nvme are the driver's own and stay here.
include(CMakePackageConfigHelpers)
set(nvme_package_rooms base clock nvme)
foreach(room IN LISTS nvme_package_rooms)
  set_target_properties(fathom_${room} PROPERTIES EXPORT_NAME ${room})
endforeach()
list(TRANSFORM nvme_package_rooms PREPEND fathom_ OUTPUT_VARIABLE nvme_package_targets)
install(TARGETS ${nvme_package_targets} EXPORT fathom_nvme ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
file(GLOB nvme_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/nvme/*.h)
install(FILES ${nvme_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fathom/nvme COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/fathom_engine.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/src/base/error.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/fathom/base COMPONENT development)
install(EXPORT fathom_nvme NAMESPACE fathom:: FILE fathom_nvme_targets.cmake DESTINATION ${FATHOM_NVME_PACKAGE} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/fathom_nvme-config.cmake.in
  ${PROJECT_BINARY_DIR}/fathom_nvme-config.cmake INSTALL_DESTINATION ${FATHOM_NVME_PACKAGE})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/fathom_nvme-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/fathom_nvme-config.cmake ${PROJECT_BINARY_DIR}/fathom_nvme-config-version.cmake
  DESTINATION ${FATHOM_NVME_PACKAGE} COMPONENT development)

# API pages of these headers, in build/api/html: `cmake --build build --target api`, where Debian's doxygen is installed. The headers' own comments are
# read: a filter makes Doxygen's comments of them.
find_package(Doxygen QUIET)
if(DOXYGEN_FOUND)
  set(DOXYGEN_PROJECT_NAME "fathom nvme")
  set(DOXYGEN_PROJECT_BRIEF "User-space NVMe driver of fathom ${PROJECT_VERSION}")
  set(DOXYGEN_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/api)
  set(DOXYGEN_STRIP_FROM_PATH ${PROJECT_SOURCE_DIR}/src)
  set(DOXYGEN_INPUT_FILTER [["sed -E -e '1i/// @file' -e 's#^( *)//( |$)#\1///\2#' -e 's#; *// (.*)#; ///< \1#'"]])
  set(DOXYGEN_EXTRACT_ALL YES)
  set(DOXYGEN_EXTRACT_PRIVATE NO)
  set(DOXYGEN_GENERATE_LATEX NO)
  set(DOXYGEN_QUIET YES)
  doxygen_add_docs(api ${nvme_headers} ${PROJECT_SOURCE_DIR}/src/base/error.h COMMENT "API pages in ${PROJECT_BINARY_DIR}/api/html")
endif()
