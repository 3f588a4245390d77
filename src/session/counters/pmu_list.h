// What `fathom pmu list` finds: reads /sys and the data files that are compiled in, and opens no counter.
#pragma once
#include <optional>
#include <string>

#include "base/error.h"
#include "result/commands/pmu_list.h"

namespace fathom::session::counters {

struct ListPlan {
  std::optional<std::string> pattern;  // shell wildcards, or a part of a name
  std::optional<std::string> device;   // a file, a device, a disk's bare name
  bool explain = false;                // each event
  std::string root;                    // before /sys and /proc: a copy of another machine's
};

// ErrorKind::usage, with the nearest names: nothing matches the pattern.
base::Expected<result::PmuList> pmu_list(const ListPlan& plan);

}  // namespace fathom::session::counters
