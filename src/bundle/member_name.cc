// Checks the bytes, then each part between two slashes.
#include "bundle/member_name.h"

#include <algorithm>

namespace fathom::bundle {
namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

std::string refusal_of(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name.size() > kMostNameBytes) return "a name of more than 255 bytes";
  if (std::any_of(name.begin(), name.end(), is_control)) return "a control character in the name";
  if (name.find('\\') != name.npos) return "a backslash in the name";
  if (name.front() == '/' || (name.size() > 1 && name[1] == ':')) return "an absolute path";
  if (name.back() == '/') return "a directory";
  for (std::size_t at = 0; at <= name.size();) {
    const auto end = std::min(name.find('/', at), name.size());
    const auto part = name.substr(at, end - at);
    if (part == "..") return "`..` in the name";
    if (part.empty() || part == ".") return "an empty part or `.` in the name";
    at = end + 1;
  }
  return {};
}

}  // namespace fathom::bundle
