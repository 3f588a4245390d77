// Several traces as one, in the order of their times. A trace may be scaled and repeated, as fio's
// merge_blktrace_scalars and merge_blktrace_iters do. Source: fio's HOWTO. Thread rule: one owner.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "trace/reader.h"

namespace fathom::trace {

struct MergeInput {
  // Opens the trace from its begin, once per iteration.
  std::function<base::Expected<std::unique_ptr<Reader>>()> open;
  double time_percent = 100;     // of each time: 50 runs the trace in half its time
  std::uint64_t iterations = 1;  // 0: the trace is left out. An iteration begins at the last time of the one before.
};

// The merged trace has completions if all traces have them. A response time is not scaled. Events of equal time keep
// the order of the inputs. ErrorKind::usage: time_percent is below 0 or not finite.
base::Expected<std::unique_ptr<Reader>> merged(std::vector<MergeInput> inputs);

}  // namespace fathom::trace
