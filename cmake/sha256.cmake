# A file's SHA-256 in hexadecimal, as a string of C++: cmake -DFROM=FILE -DTO=FILE.h -P cmake/sha256.cmake
file(SHA256 ${FROM} hash)
file(WRITE ${TO} "\"${hash}\"\n")
