#!/usr/bin/env bash
# Packages: Debian cmake 3.25.1-1, cmake-data 3.25.1-1; gcc, make, dpkg and
# binutils of the machine.
#
# Valid input: a program of one line, packaged by CPack's DEB generator with
# CPACK_DEBIAN_DEBUGINFO_PACKAGE. SOURCE_DATE_EPOCH is set and paths in the
# debug information are mapped, as for a reproducible build. It is built in two
# directories.
#
# Expected: two equal pairs of packages, as the files in them are equal. The
# member md5sums of each has names relative to /, which dpkg --verify reads.
#
# Seen: the program's packages are equal, with usr/bin/hello in md5sums. Those
# of the debug symbols differ: their md5sums has the whole path of the build,
# /.../_CPack_Packages/Linux/DEB/.../usr/lib/debug/.build-id/....debug.
#
# Why it matters: a check for reproducible builds fails by a file that no diff
# of the installed trees shows, the path of the build is published, and an
# installed package of debug symbols cannot be verified.
set -euo pipefail

lacks() {
  echo "skipped: $1" >&2
  exit 77
}
for tool in gcc make dpkg-deb dpkg-shlibdeps objcopy; do command -v "$tool" >/dev/null || lacks "$tool is missing"; done

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
for package in cmake=3.25.1-1 cmake-data=3.25.1-1; do
  apt-get download -qq "$package" >apt.log 2>&1 || lacks "$package cannot be fetched"
done
for file in *.deb; do dpkg -x "$file" tools; done
PATH=$dir/tools/usr/bin:$PATH
cmake --version >/dev/null 2>&1 || lacks "the libraries of cmake are not installed"

build() { # DIRECTORY
  mkdir -p "$1"
  cd "$1"
  echo 'int main(void) { return 0; }' >hello.c
  cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(hello VERSION 1.0 LANGUAGES C)
add_compile_options(-g -ffile-prefix-map=${PROJECT_SOURCE_DIR}=/src)
add_executable(hello hello.c)
install(TARGETS hello)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "nobody <nobody@example.invalid>")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
include(CPack)
CMAKE
  cmake -S . -B build -G "Unix Makefiles" -DCMAKE_BUILD_TYPE=None >cmake.txt
  cmake --build build >build.txt
  (cd build && SOURCE_DATE_EPOCH=1700000000 cpack >cpack.txt 2>&1) || lacks "cpack failed: $(tail -n 1 build/cpack.txt)"
  cd "$dir"
}
build one
build another/place

status=0
differs() { cmp -s one/build/"$1" another/place/build/"$1" && echo equal || echo differs; }
program=$(cd one/build && ls hello-1.0-Linux.deb)
symbols=$(cd one/build && ls ./*.ddeb)
echo "the program's packages: $(differs "$program")"
echo "those of the debug symbols: $(differs "$symbols")"
mkdir symbols
for side in one another/place; do dpkg-deb -x "$side/build/$symbols" "symbols/${side//\//-}"; done
diff -r symbols/one symbols/another-place && echo "the files of the debug symbols: equal"
listed=$(dpkg-deb --info "one/build/$symbols" md5sums)
echo "md5sums of the program: $(dpkg-deb --info "one/build/$program" md5sums | cut -d' ' -f3-)"
echo "md5sums of the debug symbols: ...${listed#*"$dir"}"

[ "$(differs "$program")" = equal ] || status=1
[ "$(differs "$symbols")" = differs ] || status=1
diff -r symbols/one symbols/another-place >/dev/null || status=1
[[ $listed == *"  $dir/one/build/_CPack_Packages/"*".debug" ]] || status=1
exit $status
