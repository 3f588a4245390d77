# The sources' path in debug information and in the BPF programs' line information. In a package it must be the same for everyone: two builds of one
# commit in different directories then give the same bytes (scripts/release). A debugger finds the sources by `set substitute-path NAME PATH`.
set(FATHOM_SOURCE_NAME "" CACHE STRING "path of the sources in debug information; empty: where they are")
set(FATHOM_PREFIX_MAPS "")
if(FATHOM_SOURCE_NAME)
  # The last map that fits is used.
  set(FATHOM_PREFIX_MAPS -ffile-prefix-map=${PROJECT_SOURCE_DIR}=${FATHOM_SOURCE_NAME} -ffile-prefix-map=${PROJECT_BINARY_DIR}=${FATHOM_SOURCE_NAME}/build)
  add_compile_options(${FATHOM_PREFIX_MAPS})
  add_link_options(${FATHOM_PREFIX_MAPS})  # link-time optimization compiles too
endif()
