// Permissions by name, from --allow-destructive and FATHOM_ALLOW_DESTRUCTIVE. A device name permits destroying its
// content. A current mount or use as swap requires a second word after the name, because such a device is in active
// use: "/dev/sdx:mounted", "/dev/sdx:swap", "/dev/sdx:mounted:swap". Pure except for stat(2).
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

// Splits a name that ends with one or both words; any other text is the device's name alone.
AllowEntry parse_allow_entry(std::string_view text);

// Permissions for `path`: block devices are compared by device number, files by inode, both under any name.
Permission permission_for(const std::string& path, const std::set<std::string>& words);

}  // namespace fathom::host::guards
