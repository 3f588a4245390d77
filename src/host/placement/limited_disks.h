// The disks with I/O limits that may apply to a job: its own, and those below them (dm, md). The kernel charges the I/O
// of both to the same group. Thread rule: one thread.
#pragma once
#include <string>
#include <vector>

#include "host/placement/placement.h"

namespace fathom::host::placement {

class LimitedDisks {
 public:
  void add(const Placement& placement);
  // As limits name them, "253:0". Empty: the disks are unknown, so any limit may apply.
  std::vector<std::string> numbers() const { return unknown_ ? std::vector<std::string>() : numbers_; }

 private:
  std::vector<std::string> numbers_;
  bool unknown_ = false;
};

}  // namespace fathom::host::placement
