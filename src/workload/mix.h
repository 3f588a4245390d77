// Chooses the next direction: each I/O of a mixed job draws it independently (rwmixread), so shares are binomial. fio
// draws in runs with the same mean. Thread rule: immutable; the Prng belongs to the caller.
#pragma once
#include <cstdint>
#include <limits>

#include "base/prng.h"
#include "io/request.h"
#include "job/job.h"

namespace fathom::workload {

class Mix {
 public:
  explicit Mix(const job::Job& job)
      : mixed_(job.mode.mixed()),
        only_(job.mode.reads    ? io::Dir::read
              : job.mode.writes ? io::Dir::write
                                : io::Dir::trim),
        last_read_draw_(threshold(job.rwmix_read_percent)) {
    if (mixed_ && job.rwmix_read_percent >= 100) mixed_ = false, only_ = io::Dir::read;
    if (mixed_ && job.rwmix_read_percent == 0) mixed_ = false, only_ = io::Dir::write;
  }
  bool mixed() const { return mixed_; }
  io::Dir draw(base::Prng& prng) const {
    if (!mixed_) return only_;
    return prng.next() < last_read_draw_ ? io::Dir::read : io::Dir::write;
  }

 private:
  static std::uint64_t threshold(unsigned percent) {
    return percent >= 100 ? std::numeric_limits<std::uint64_t>::max()
                          : std::numeric_limits<std::uint64_t>::max() / 100 * percent;
  }
  bool mixed_;
  io::Dir only_;
  std::uint64_t last_read_draw_;
};

}  // namespace fathom::workload
