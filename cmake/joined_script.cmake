# Files of a script as one, in a function of its own: cmake "-DFROM=A.js;B.js" -DTO=FILE.js -P cmake/joined_script.cmake
set(text "\"use strict\";\n(() => {\n")
foreach(file IN LISTS FROM)
  file(READ ${file} part)
  string(APPEND text "${part}")
endforeach()
file(WRITE ${TO} "${text}})();\n")
