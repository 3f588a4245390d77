// A job while its options are being read: the Job, and values that are final only at the end of the section (bs is the
// fallback of bsrange in any order; an engine's option may precede ioengine=).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "job/job.h"
#include "options/row.h"

namespace fathom::job {

using namespace options;  // a job's options are rows, and use their names

struct Applied {
  const Row* option = nullptr;
  Assignment assignment;
  std::string value;  // with variables replaced
};

struct SizeRange {
  std::uint64_t low = 0, high = 0;  // high 0: not given
};

struct Draft {
  Job job;
  std::uint64_t kb_base = 1024;
  std::uint64_t numjobs = 1;
  PerDir<std::uint64_t> bs{4096, 4096, 4096};
  PerDir<SizeRange> bsrange{};
  SizeRange startdelay_ns;
  bool new_group = false;
  bool allrandrepeat = false;
  std::vector<Applied> applied;    // this section's options, in order
  std::vector<Applied> inherited;  // options of [global]

  // The last place that set an option, this section first; nullptr: the option has its default.
  const Applied* find(std::string_view name) const;
};

}  // namespace fathom::job
