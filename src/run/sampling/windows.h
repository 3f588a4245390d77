// bwavgtime and iopsavgtime of a job that requests other windows than 500 ms. The samples of its `bw` and `iops` lines
// are then rates over windows of that length, for the job or for all jobs that are reported as one. look() closes a
// window that is full, or, as in fio, lacks at most 1 ms. The next window begins at that look, so no time is counted
// twice or omitted. The series of the result keeps its 500 ms. Pure.
// of 500 ms. Pure.
#pragma once
#include <array>
#include <cstdint>

#include "result/result.h"
#include "run/sampling/sampler.h"

namespace fathom::run::sampling {

// Totals of bytes or of I/Os, by direction.
using Totals = std::array<std::uint64_t, io::kDataDirs>;

class Windows {
 public:
  explicit Windows(std::uint64_t width_ns) : width_ns_(width_ns) {}
  // Begins the first window at now_ns, with totals of 0.
  void begin(std::uint64_t now_ns);
  bool begun() const { return begin_ns_ != 0; }
  // Time of the next useful look().
  std::uint64_t next_ns() const { return begun() ? begin_ns_ + width_ns_ : ~0ull; }
  void look(const Totals& totals, std::uint64_t now_ns, double scale);
  result::Samples samples(std::size_t dir) const { return samples_[dir].samples(); }

 private:
  std::uint64_t width_ns_, begin_ns_ = 0;
  Totals before_{};
  std::array<RunningSamples, io::kDataDirs> samples_;
};

}  // namespace fathom::run::sampling
