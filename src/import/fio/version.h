// Differences between versions of fio in its JSON: names and units. Pure.
#pragma once
#include <string_view>

namespace fathom::import::fio {

// "fio-3.33-10-g1234": 3, 33. Any other text counts as newer than all versions.
struct Version {
  int major = 99, minor = 0;
  bool before(int a_major, int a_minor) const { return major != a_major ? major < a_major : minor < a_minor; }
};
Version version_of(std::string_view text);

}  // namespace fathom::import::fio
