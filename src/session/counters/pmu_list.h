// The result of `fathom pmu list`: reads /sys and the compiled-in data files, and opens no counter.
#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "result/commands/pmu_list.h"

namespace fathom::session::counters {

struct ListPlan {
  std::optional<std::string> pattern;  // shell wildcards, or part of a name
  std::optional<std::string> device;   // a file, a device, or a disk's plain name
  bool explain = false;                // for each event
  std::string root;                    // before /sys and /proc: a copy from another machine
};

// ErrorKind::usage, with the nearest names: no name matches the pattern.
base::Expected<result::PmuList> pmu_list(const ListPlan& plan);

}  // namespace fathom::session::counters
