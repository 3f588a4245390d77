// Where the repository lies, for tests that read its files. A function of one unit and no definition for all of them: a compiler cache then
// knows a test again that it has compiled in another checkout.
#pragma once
#include <string>

namespace fathom {

// The absolute path of `name`, which is relative to the repository's root.
std::string in_source(const std::string& name);

}  // namespace fathom
