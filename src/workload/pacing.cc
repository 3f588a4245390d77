// Rates to fixed-point intervals, once.
#include "workload/pacing.h"

namespace fathom::workload {

Pacing::Pacing(const job::Job& job) : used_(job.paced()) {
  const auto interval = [](std::uint64_t rate) {
    constexpr unsigned __int128 kSecond = static_cast<unsigned __int128>(1'000'000'000) << kFraction;
    return rate == 0 ? 0 : static_cast<std::uint64_t>((kSecond + rate / 2) / rate);
  };
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    tracks_[d].per_byte = interval(job.rate_bytes_per_s[d]);
    tracks_[d].per_io = interval(job.rate_iops[d]);
    tracks_[d].paced = job.rate_bytes_per_s[d] != 0 || job.rate_iops[d] != 0;
  }
  both_ = job.mode.mixed() && tracks_[io::index(io::Dir::read)].paced && tracks_[io::index(io::Dir::write)].paced &&
          job.rwmix_read_percent > 0 && job.rwmix_read_percent < 100;
}

}  // namespace fathom::workload
