# Toolchain of presets `aarch64` and `aarch64-all`: Debian's cross compiler with its own libc and libstdc++, the packages' aarch64 libraries
# from a root of their own (scripts/parts unpacks them into the build folder's sysroot/), and qemu to run what was built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)  # there lies the loader

# CMake reads this file again for each of its trial programs, in a folder of its own: the environment carries the build folder there.
if(NOT DEFINED ENV{FATHOM_AARCH64_SYSROOT})
  set(ENV{FATHOM_AARCH64_SYSROOT} ${CMAKE_BINARY_DIR}/sysroot)
endif()
set(sysroot $ENV{FATHOM_AARCH64_SYSROOT})
set(libraries ${sysroot}/usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH ${sysroot} /usr/aarch64-linux-gnu)
set(CMAKE_LIBRARY_PATH /usr/lib/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(fmt_DIR ${libraries}/cmake/fmt)
set(GTest_DIR ${libraries}/cmake/GTest)
set(nlohmann_json_DIR ${sysroot}/usr/share/cmake/nlohmann_json)
set(ENV{PKG_CONFIG_LIBDIR} ${libraries}/pkgconfig:${sysroot}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${sysroot})
# What the libraries need themselves, at link time and at run time.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-L${libraries} -Wl,-rpath,${libraries} -Wl,-rpath-link,${libraries}")
set(CMAKE_CXX_FLAGS_INIT "-isystem ${sysroot}/usr/include")
