// Converts rates to fixed-point intervals once.
#include "workload/pacing.h"

#include <cmath>

#include "job/fields/think.h"

namespace fathom::workload {

Pacing::Pacing(const job::Job& job, std::uint64_t seed) : used_(job.paced()), prng_(seed) {
  const bool drawn = job.of<job::fields::Think>().process == job::fields::RateProcess::poisson;
  const auto interval = [](std::uint64_t rate) {
    constexpr unsigned __int128 kSecond = static_cast<unsigned __int128>(1'000'000'000) << kFraction;
    return rate == 0 ? 0 : static_cast<std::uint64_t>((kSecond + rate / 2) / rate);
  };
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    tracks_[d].per_byte = interval(job.rate_bytes_per_s[d]);
    tracks_[d].per_io = interval(job.rate_iops[d]);
    tracks_[d].paced = job.rate_bytes_per_s[d] != 0 || job.rate_iops[d] != 0;
    tracks_[d].evenly = tracks_[d].paced && !drawn;
  }
  both_ = job.mode.mixed() && tracks_[io::index(io::Dir::read)].paced && tracks_[io::index(io::Dir::write)].paced &&
          job.rwmix_read_percent > 0 && job.rwmix_read_percent < 100;
}

// u is in (0, 1]: 2^53 values, without 0.
std::uint64_t Pacing::take_drawn(Track& track, std::uint32_t bytes) {
  const auto due_ns = static_cast<std::uint64_t>(track.due() >> kFraction);
  const double u = (static_cast<double>(prng_.next() >> 11) + 1) * 0x1p-53;
  const double times = -std::log(u);
  const auto drawn = [&](unsigned __int128 mean) {
    return static_cast<unsigned __int128>(static_cast<double>(mean) * times);
  };
  track.bytes_due += drawn(static_cast<unsigned __int128>(bytes) * track.per_byte);
  track.ios_due += drawn(track.per_io);
  return last_ = due_ns == 0 ? 1 : due_ns;
}

}  // namespace fathom::workload
