// The kernel's /sys and /dev as the PCI side sees them: small text files, links, folders, and writes that make the
// kernel act (Documentation/ABI/testing/sysfs-bus-pci). A prefix stands before every path and write() is virtual, so
// that a test can build a tree and answer as the kernel would. A file that cannot be read is empty: a fact left out.
// Thread-safe; keeps nothing.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::nvme::pci {

class Sysfs {
 public:
  explicit Sysfs(std::string prefix = "") : prefix_(std::move(prefix)) {}
  virtual ~Sysfs() = default;

  std::string path(std::string_view inside) const { return prefix_ + std::string(inside); }
  bool exists(const std::string& inside) const;
  std::string line(const std::string& inside) const;  // the first, without white space at its ends
  std::uint64_t number(const std::string& inside, std::uint64_t otherwise) const;  // decimal, or hexadecimal after 0x
  std::string link_name(const std::string& inside) const;                          // last part of what a link points to
  std::vector<std::string> names(const std::string& inside) const;                 // of a folder, sorted
  virtual int write(const std::string& inside, std::string_view text);             // 0 or errno

 private:
  std::string prefix_;
};

// Why a write to /sys failed: privilege when it takes root.
base::Error write_error(const std::string& what, const std::string& file, int error);

}  // namespace fathom::nvme::pci
