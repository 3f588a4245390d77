// JSON made small for a page: spaces between values go (documents that follow each other keep the lines that they are on), and a list of records says its keys once. A run of ten minutes
// has thousands of points of its series, each with the same keys, which are more than its numbers. A list
//   [{"a":1,"b":2},{"a":3,"b":4}, ...]   becomes   {"fathom:rows":[{"keys":["a","b"],"rows":[[1,2],[3,4], ...]}]}
// with a part for each stretch of records that have the same keys in the same order, where that is shorter; records that
// hold objects or lists stay as they are. assets/packed.js makes the list again. Pure; of what is no JSON nothing is said.
#pragma once
#include <string>
#include <string_view>

namespace fathom::report::page {

std::string packed(std::string_view json);

}  // namespace fathom::report::page
