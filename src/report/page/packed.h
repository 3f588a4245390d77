// Makes JSON smaller for a page. Spaces between values are removed (documents that follow each other keep their lines),
// and a list of records has its keys only once. A run of ten minutes has thousands of points in its series; their equal
// keys are longer than their numbers. A list
//   [{"a":1,"b":2},{"a":3,"b":4}, ...]   becomes   {"fathom:rows":[{"keys":["a","b"],"rows":[[1,2],[3,4], ...]}]}
// with one part for each stretch of records that have the same keys in the same order, if that is shorter. Records that
// contain objects or lists are unchanged. assets/packed.js restores the list. Pure; the result for input that is not
// JSON is unspecified.
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

std::string packed(std::string_view json);

}  // namespace fathom::report::page
