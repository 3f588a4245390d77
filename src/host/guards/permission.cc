// First tries the entry as a whole name: a device name may end in ":swap".
#include "host/guards/permission.h"

#include <sys/stat.h>

namespace fathom::host::guards {
namespace {

bool strip(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word) || text.size() == word.size()) return false;
  text.remove_suffix(word.size());
  return true;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat left {
  }, right{};
  if (::stat(a.c_str(), &left) != 0 || ::stat(b.c_str(), &right) != 0) return false;
  if (S_ISBLK(left.st_mode) || S_ISBLK(right.st_mode))
    return S_ISBLK(left.st_mode) && S_ISBLK(right.st_mode) && left.st_rdev == right.st_rdev;
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

}  // namespace

AllowEntry parse_allow_entry(std::string_view text) {
  AllowEntry word{"", {true, false, false}};
  for (bool more = true; more;) {
    more = false;
    if (!word.lifts.mounted && strip(text, ":mounted")) word.lifts.mounted = more = true;
    if (!word.lifts.swap && strip(text, ":swap")) word.lifts.swap = more = true;
  }
  word.device = text;
  return word;
}

Permission permission_for(const std::string& path, const std::set<std::string>& words) {
  Permission all;
  for (const auto& text : words) {
    if (same_file(text, path)) {
      all.named = true;
      continue;
    }
    const AllowEntry word = parse_allow_entry(text);
    if (same_file(word.device, path)) all |= word.lifts;
  }
  return all;
}

}  // namespace fathom::host::guards
