// A job while its options are still coming in: the Job, and what can only be decided when the section ends (bs is the
// fallback of bsrange whatever their order, an engine's option may stand before ioengine=).
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "job/job.h"
#include "options/row.h"

namespace fathom::job {

using namespace options;  // a job's options are rows, and are spoken of in their words

struct Applied {
  const Row* option = nullptr;
  Assignment assignment;
  std::string value;  // with its variables replaced
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
  std::vector<Applied> inherited;  // those of [global]

  // The last place that set an option, this section first; nullptr if it is a default.
  const Applied* find(std::string_view name) const;
};

}  // namespace fathom::job
