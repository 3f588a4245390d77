// The status line of `fathom paging`: `measuring [42.0%] 1.23M accesses/s, minor 0/s, major 8.10k/s, p50 520 ns, p99
// 98.3 us [eta 00m:12s]`. In other phases, the line has their progress.
#include "live/paging_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/unit_text.h"
#include "live/paging_second.h"

namespace fathom::live {
namespace {

std::string time_text(std::uint64_t ns) {
  return base::text::unit_text(static_cast<double>(ns), base::text::kTimeLive);
}

std::string eta(std::uint64_t s) {
  if (s >= 3600) return fmt::format(" [eta {:02}h:{:02}m:{:02}s]", s / 3600, s / 60 % 60, s % 60);
  return fmt::format(" [eta {:02}m:{:02}s]", s / 60, s % 60);
}

std::string left(const paging::Progress& p, double duration_s) {
  if (p.phase != paging::Progress::Phase::measuring) return "";
  const auto left_s = static_cast<std::uint64_t>(std::ceil(std::max(0.0, duration_s - p.elapsed_s)));
  return left_s > 0 ? eta(left_s) : "";
}

}  // namespace

std::string rate_text(double per_s) { return base::text::unit_text(per_s, base::text::kRateLive); }

std::string phase_line(const paging::Progress& p, double duration_s) {
  return fmt::format("{} [{:.1f}%]{}", phase_name(p.phase), 100 * p.done_share, left(p, duration_s));
}

std::string paging_line(const paging::Progress& p, double duration_s) {
  std::string out = fmt::format("{} [{:.1f}%]", phase_name(p.phase), 100 * p.done_share);
  if (p.late.accesses_per_s <= 0) return out;
  out += fmt::format(" {} accesses/s, minor {}/s, major {}/s", rate_text(p.late.accesses_per_s),
                     rate_text(p.late.minor_per_s), rate_text(p.late.major_per_s));
  if (p.late.ns_p99 > 0) out += fmt::format(", p50 {}, p99 {}", time_text(p.late.ns_p50), time_text(p.late.ns_p99));
  return out + left(p, duration_s);
}

std::string learn_line(const paging::learn::LearnProgress& p) {
  constexpr const char* kPhases[] = {"settling", "choosing an interval", "observing", "fitting"};
  return fmt::format("{} {:.1f} s, {} pages, {:.1f}% touched in the last interval", kPhases[static_cast<int>(p.phase)],
                     p.elapsed_s, p.pages, 100 * p.touched_share);
}

}  // namespace fathom::live
