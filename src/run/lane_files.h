// A job's files once more, each with a position of its own: for a lane (run/offload.h) whose engine seeks. Descriptors
// that are copies of one another, or shared by threads, have one position; opening /proc/self/fd/N gives another to the
// same file, by the flags that the first was opened with, also where the file has no name any more.
// Source: open(2), proc(5). Thread rule: one owner.
#pragma once
#include <span>
#include <vector>

#include "base/error.h"
#include "base/fd.h"
#include "io/target.h"

namespace fathom::run {

class LaneFiles {
 public:
  base::Expected<void> open(std::span<const io::Target> targets);
  std::span<const io::Target> targets() const { return targets_; }

 private:
  std::vector<io::Target> targets_;
  std::vector<base::UniqueFd> fds_;
};

}  // namespace fathom::run
