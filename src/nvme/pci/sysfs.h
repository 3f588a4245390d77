// The kernel's /sys and /dev: small text files, links, directories, and writes that make the kernel act
// (Documentation/ABI/testing/sysfs-bus-pci).
// Every path has a prefix and write() is virtual, so that a test can build a tree and simulate the kernel.
// A file that cannot be read counts as empty: that fact is omitted. Thread-safe and stateless.
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
  std::string line(const std::string& inside) const;  // the first line, without white space at its ends
  std::uint64_t number(const std::string& inside, std::uint64_t otherwise) const;  // decimal, or hexadecimal after 0x
  std::string link_name(const std::string& inside) const;               // last component of the link's target
  std::vector<std::string> names(const std::string& inside) const;      // in a directory, sorted
  virtual int write(const std::string& inside, std::string_view text);  // 0 or errno

 private:
  std::string prefix_;
};

// Why a write to /sys failed. privilege: it needs root.
base::Error write_error(const std::string& what, const std::string& file, int error);

}  // namespace fathom::nvme::pci
