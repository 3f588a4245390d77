// rate= and rate_iops=: the intended start of every request. The n-th request of a direction is due at the sum of the
// intervals of all requests before it, counted from the job's start. An interval is bytes / rate, or 1 / rate_iops; if
// both are set, the later due time counts. The device does not change the schedule, so a late start shows as latency
// from the intended start. Times have 32 fractional bits of a nanosecond, and there is no division per request: at
// 10 GB/s the schedule is off by less than 5 us per hour.
//
// rate_process=poisson draws every interval from the exponential distribution with that mean (-ln u of it), so that
// I/Os arrive like those of many independent users: the loop is open, because the schedule does not wait.
//
// A mixed job with both directions paced takes the direction with the earlier due request, so that both rates are met.
// Its mix is then the ratio of the rates (fio gets the same result by sleeping and switching). With one direction paced
// the mix decides, because no clock is read here: an unpaced request may wait behind a paced one (fio would let the
// unpaced direction run ahead).
#pragma once
#include <array>
#include <cstdint>

#include "base/prng.h"
#include "io/request.h"
#include "job/job.h"

namespace fathom::workload {

class Pacing {
 public:
  // seed: for random intervals.
  explicit Pacing(const job::Job& job, std::uint64_t seed = 1);
  bool used() const { return used_; }

  // The direction to take, if the mix drew `drawn`.
  io::Dir direction(io::Dir drawn) const {
    const io::Dir other = drawn == io::Dir::read ? io::Dir::write : io::Dir::read;
    if (!both_) return drawn;
    return tracks_[io::index(other)].due() < tracks_[io::index(drawn)].due() ? other : drawn;
  }
  // Returns when this request is due (ns from the job's start, never 0), and adds its interval. Returns 0 for a
  // direction that is not paced.
  std::uint64_t take(io::Dir dir, std::uint32_t bytes) {
    Track& track = tracks_[io::index(dir)];
    if (!track.evenly) [[unlikely]]
      return track.paced ? take_drawn(track, bytes) : 0;
    const auto due_ns = static_cast<std::uint64_t>(track.due() >> kFraction);
    track.bytes_due += static_cast<unsigned __int128>(bytes) * track.per_byte;
    track.ios_due += track.per_io;
    return last_ = due_ns == 0 ? 1 : due_ns;
  }
  // The last request of a direction becomes longer: the following ones are due later.
  void take_more(io::Dir dir, std::uint32_t bytes) {
    Track& track = tracks_[io::index(dir)];
    track.bytes_due += static_cast<unsigned __int128>(bytes) * track.per_byte;
  }
  // A sync is due with the write before it.
  std::uint64_t last() const { return last_; }

 private:
  static constexpr unsigned kFraction = 32;
  struct Track {
    unsigned __int128 bytes_due = 0, ios_due = 0;
    std::uint64_t per_byte = 0, per_io = 0;
    bool paced = false, evenly = false;  // evenly: paced, with constant intervals
    unsigned __int128 due() const { return bytes_due > ios_due ? bytes_due : ios_due; }
  };
  std::uint64_t take_drawn(Track& track, std::uint32_t bytes);

  std::array<Track, io::kDataDirs> tracks_;
  bool used_ = false, both_ = false;
  base::Prng prng_;
  std::uint64_t last_ = 0;
};

}  // namespace fathom::workload
