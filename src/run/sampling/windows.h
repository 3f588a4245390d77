// bwavgtime and iopsavgtime of a job that asks for others than 500 ms: the samples behind its `bw` and `iops` lines are
// rates over windows of that length, of the job or of all jobs that are reported as one. Which windows there are is a
// matter of when somebody looks: a look closes a window that is full, as of fio one that lacks less than a millisecond,
// and the next begins at the look, so no time is counted twice and none is left out. The series of the result stays one
// of 500 ms. Pure.
#pragma once
#include <array>
#include <cstdint>

#include "result/result.h"
#include "run/sampling/sampler.h"

namespace fathom::run::sampling {

// Of bytes or of I/Os, by direction.
using Totals = std::array<std::uint64_t, io::kDataDirs>;

class Windows {
 public:
  explicit Windows(std::uint64_t width_ns) : width_ns_(width_ns) {}
  // From here on, with nothing counted.
  void begin(std::uint64_t now_ns);
  bool begun() const { return begin_ns_ != 0; }
  // When a look is worth it.
  std::uint64_t next_ns() const { return begun() ? begin_ns_ + width_ns_ : ~0ull; }
  void look(const Totals& totals, std::uint64_t now_ns, double scale);
  result::Samples samples(std::size_t dir) const { return samples_[dir].samples(); }

 private:
  std::uint64_t width_ns_, begin_ns_ = 0;
  Totals before_{};
  std::array<RunningSamples, io::kDataDirs> samples_;
};

}  // namespace fathom::run::sampling
