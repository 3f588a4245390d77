# The commit goes into one header, rewritten only when it changes, so that archives can be matched to the code that made them.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12
  OUTPUT_VARIABLE FATHOM_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT FATHOM_COMMIT)
  set(FATHOM_COMMIT "unknown")
endif()
foreach(moves IN ITEMS .git/HEAD .git/logs/HEAD)  # absent in a tarball, a worktree and before the first commit
  if(EXISTS ${PROJECT_SOURCE_DIR}/${moves})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${moves})
  endif()
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/generated/fathom_version.h @ONLY)
