# Engines in shared objects: plugins/NAME.cc with the interface include/fathom_engine.h, one row each. A row is built where
# the -dev packages of its libraries are installed (pkg-config MODULE...). It is built with the program, and the program finds it in
# its own directory, or installed in lib/fathom. Component engine_NAME becomes the Debian package fathom-NAME (cmake/package.cmake).
add_library(fathom_engine_interface INTERFACE)
target_include_directories(fathom_engine_interface INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
set(FATHOM_PLUGINS "")
function(fathom_plugin name)
  string(TOUPPER PLUGIN_${name} package)
  pkg_check_modules(${package} IMPORTED_TARGET ${ARGN})
  if(NOT ${package}_FOUND)
    message(STATUS "ioengine=${name} is not built: pkg-config does not find ${ARGN}")
    return()
  endif()
  fathom_plugin_with(${name} PkgConfig::${package})
  set(FATHOM_PLUGINS ${FATHOM_PLUGINS} PARENT_SCOPE)
endfunction()

# The same for libraries that pkg-config does not know.
function(fathom_plugin_without_module name header)
  find_path(FATHOM_${name}_HEADER ${header})
  set(libraries "")
  foreach(library IN LISTS ARGN)
    find_library(FATHOM_${library}_LIBRARY ${library})
    list(APPEND libraries ${FATHOM_${library}_LIBRARY})
  endforeach()
  if(NOT FATHOM_${name}_HEADER OR libraries MATCHES NOTFOUND)
    message(STATUS "ioengine=${name} is not built: there is no ${header}, or a library of ${ARGN} is missing")
    return()
  endif()
  fathom_plugin_with(${name} ${libraries})
  set(FATHOM_PLUGINS ${FATHOM_PLUGINS} PARENT_SCOPE)
endfunction()

function(fathom_plugin_with name)
  add_library(fathom_engine_${name} MODULE ${PROJECT_SOURCE_DIR}/plugins/${name}.cc)
  target_link_libraries(fathom_engine_${name} PRIVATE fathom_engine_interface ${ARGN})
  target_compile_features(fathom_engine_${name} PRIVATE cxx_std_20)
  target_link_options(fathom_engine_${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-s>)  # installed as it is: no package has its debug symbols
  set_target_properties(fathom_engine_${name} PROPERTIES PREFIX "" OUTPUT_NAME fathom_${name} CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  install(TARGETS fathom_engine_${name} LIBRARY DESTINATION ${FATHOM_PRIVATE_LIBRARIES} COMPONENT engine_${name})
  set(FATHOM_PLUGINS ${FATHOM_PLUGINS} ${name} PARENT_SCOPE)
endfunction()

# PROGRAM's build includes the plug-ins.
function(fathom_with_plugins program)
  foreach(name IN LISTS FATHOM_PLUGINS)
    add_dependencies(${program} fathom_engine_${name})
  endforeach()
endfunction()

if(NOT FATHOM_ROOMS AND NOT CMAKE_CROSSCOMPILING)
  fathom_plugin(nbd libnbd)
  fathom_plugin(http libcurl libcrypto)
  fathom_plugin(nfs libnfs)
  fathom_plugin(libiscsi libiscsi)
  fathom_plugin_without_module(rbd rbd/librbd.h rbd rados)
  fathom_plugin_without_module(rados rados/librados.h rados)
endif()
