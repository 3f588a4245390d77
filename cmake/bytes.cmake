# A file as what stands between the braces of an array: cmake -DFROM=FILE -DTO=FILE.h -P cmake/bytes.cmake
file(READ ${FROM} hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${TO} "${hex}\n")
