# Debian packages by CPack: fathom (component `program`), fathom-dev (`development`), and the debug symbols of the first. scripts/release builds them
# with preset `package`, which also packs relative relocations: they were 0.2 of 10 MB, and the loader of glibc 2.36 reads them. What a package has
# beyond an installation is added by cmake/package_files.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL program development)
foreach(name IN LISTS FATHOM_PLUGINS)
  list(APPEND CPACK_COMPONENTS_ALL engine_${name})
endforeach()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_FATHOM_SOURCE ${PROJECT_SOURCE_DIR})  # for that script
set(CPACK_FATHOM_PLUGINS ${FATHOM_PLUGINS})

set(CPACK_PACKAGE_CONTACT "fathom maintainers <maintainers@fathom.invalid>")  # SECURITY.md has how to reach them
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME fathom)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libbpf1, libssl3")  # opened at run time: the breakdown of a latency, hashes of verify=
set(CPACK_DEBIAN_PROGRAM_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
"measure the latency of storage and memory, and audit the numbers
fathom runs job files of fio, and reports IOPS, bandwidth and latency percentiles.
It tests the clock, and compares its byte counts with those of the kernel.
It also measures page faults, NVMe controllers from user space, and hardware events.

/usr/libexec/fathom has the program under the names fio, pmbench and spdk_nvme_perf,
for scripts that call these programs.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME fathom-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SOURCE fathom)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS libfmt-dev)
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"user-space NVMe driver of fathom: headers and static libraries
The driver submits commands to an NVMe controller without the kernel, through vfio
or vfio-user. An emulated controller is included.
find_package(fathom_nvme) of CMake gives the target fathom::nvme.")
# A package for each engine in a shared object, because each needs a library of its own: fathom-nbd needs libnbd0.
foreach(name IN LISTS FATHOM_PLUGINS)
  string(TOUPPER ENGINE_${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME fathom-${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SOURCE fathom)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS "fathom (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
  set(CPACK_DEBIAN_${component}_DESCRIPTION "ioengine=${name} of fathom\nThe engine is in a shared object, which fathom loads when a job needs it.")
endforeach()
include(CPack)
