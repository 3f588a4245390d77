# Run by cpack when all files are in their directories, before the packages are made of them: what Debian's policy asks of a package beyond an installation.
# Manual pages and changelogs are compressed, each package has a copyright file, and the driver's archives have no debug information. With
# SOURCE_DATE_EPOCH in the environment all of it depends on the commit alone.
set(program ${CPACK_TEMPORARY_DIRECTORY}/program/usr)
set(development ${CPACK_TEMPORARY_DIRECTORY}/development/usr)
file(GLOB pages ${program}/share/man/man1/*.1)
file(GLOB_RECURSE archives ${development}/lib/*.a)
if(NOT pages)
  message(FATAL_ERROR "the program's manual pages are missing: install scdoc, and configure again")
endif()

# One entry for the package itself; the program's own changes are in changelog.gz.
set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
set(entry "fathom (${version}) unstable; urgency=medium\n\n  * Build of fathom ${CPACK_PACKAGE_VERSION}; changelog.gz lists the changes.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")

file(REMOVE ${program}/share/doc/fathom/LICENSE)  # its text is in /usr/share/common-licenses
file(RENAME ${program}/share/doc/fathom/CHANGELOG.md ${program}/share/doc/fathom/changelog)
set(all_documents ${program}/share/doc/fathom ${development}/share/doc/fathom-dev)
foreach(name IN LISTS CPACK_FATHOM_PLUGINS)
  list(APPEND all_documents ${CPACK_TEMPORARY_DIRECTORY}/engine_${name}/usr/share/doc/fathom-${name})
endforeach()
foreach(documents IN LISTS all_documents)
  file(MAKE_DIRECTORY ${documents})
  file(COPY ${CPACK_FATHOM_SOURCE}/packaging/copyright DESTINATION ${documents})
  file(WRITE ${documents}/changelog.Debian "${entry}")
endforeach()
list(TRANSFORM all_documents APPEND "/changelog*" OUTPUT_VARIABLE all_changelogs)
file(GLOB changelogs ${all_changelogs})
execute_process(COMMAND gzip -9n ${pages} ${changelogs} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archives} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND chmod -R u+rwX,go+rX,go-w ${CPACK_TEMPORARY_DIRECTORY} COMMAND_ERROR_IS_FATAL ANY)
