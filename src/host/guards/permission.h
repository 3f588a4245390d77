// What --allow-destructive and FATHOM_ALLOW_DESTRUCTIVE allow, by name. The name of a device lifts what lies on it; a
// use at this moment by a mount or as swap wants a second word after the name, for such a device is not old but alive:
// "/dev/sdx:mounted", "/dev/sdx:swap", "/dev/sdx:mounted:swap". Pure but for stat(2).
#pragma once
#include <sys/types.h>

#include <set>
#include <string>
#include <string_view>

namespace fathom::host::guards {

struct Permission {
  bool named = false;
  bool mounted = false;
  bool swap = false;
  Permission& operator|=(const Permission& other) {
    named |= other.named;
    mounted |= other.mounted;
    swap |= other.swap;
    return *this;
  }
};

struct AllowEntry {
  std::string device;
  Permission lifts;
};

// A name that ends with one or both words, split; any other is the device's name alone.
AllowEntry parse_allow_entry(std::string_view text);

// What the words allow for `path`: block devices are compared by device number, files by inode, both under any name.
Permission permission_for(const std::string& path, const std::set<std::string>& words);

}  // namespace fathom::host::guards
