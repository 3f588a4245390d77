// Whose limits of I/O may hold a job's: its disks, and those that they are built on (dm, md), whose I/Os are charged to
// the same group. Thread rule: one thread.
#pragma once
#include <string>
#include <vector>

#include "host/placement/placement.h"

namespace fathom::host::placement {

class LimitedDisks {
 public:
  void add(const Placement& placement);
  // As limits name them, "253:0"; empty where it is not known which they are: then all limits may be theirs.
  std::vector<std::string> numbers() const { return unknown_ ? std::vector<std::string>() : numbers_; }

 private:
  std::vector<std::string> numbers_;
  bool unknown_ = false;
};

}  // namespace fathom::host::placement
