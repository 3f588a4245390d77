// Writes the members of a bundle as a zip archive in memory. The same members give the same bytes: their order is the
// caller's, and every time is the first that zip has. Deflate's output depends on the version of zlib.
// Pure; any thread.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::bundle {

struct Member {
  std::string name;
  std::string_view bytes;
};

base::Expected<std::string> pack(const std::vector<Member>& members);

}  // namespace fathom::bundle
