// Compares the rate with the minimum once per cycle.
#include "run/watch/least_rate.h"

#include <fmt/format.h>

namespace fathom::run::watch {
namespace {

std::uint64_t per_second(std::uint64_t count, std::uint64_t ns) {
  return static_cast<std::uint64_t>(static_cast<unsigned __int128>(count) * 1'000'000'000 / ns);
}

}  // namespace

std::string LeastRateWatch::look(std::uint64_t since_start_ns, const Counts& counts) {
  if (since_start_ns < kGraceNs) return "";
  if (begun_ && (since_start_ns - last_ns_ < rule_.cycle_ns || counts == last_)) return "";
  const std::uint64_t spent_ns = since_start_ns - last_ns_;
  std::string missed;
  for (std::size_t d = 0; begun_ && missed.empty() && d < io::kDataDirs; ++d) {
    if (counts.ios[d] == 0) continue;
    const auto bytes = per_second(counts.bytes[d] - last_.bytes[d], spent_ns);
    const auto ios = per_second(counts.ios[d] - last_.ios[d], spent_ns);
    if (bytes < rule_.bytes_per_s[d])
      missed = fmt::format("rate_min={}B/s not met, got {}B/s", rule_.bytes_per_s[d], bytes);
    else if (ios < rule_.iops[d])
      missed = fmt::format("rate_iops_min={} not met, got {} IOPS", rule_.iops[d], ios);
  }
  begun_ = true;
  last_ns_ = since_start_ns;
  last_ = counts;
  return missed;
}

}  // namespace fathom::run::watch
