// Rendering the status line of `fathom paging`: `measuring [42.0%] 1.23M accesses/s, minor 0/s, major 8.10k/s, p50 520
// ns, p99 98.3 us [eta 00m:12s]`. A phase that is not the measured one shows how far it is.
#include "live/paging_line.h"

#include <fmt/format.h>

#include "base/text/unit_text.h"

namespace fathom::live {
namespace {

std::string rate(double value) { return base::text::unit_text(value, base::text::kRateLive); }

std::string time_text(std::uint64_t ns) {
  return base::text::unit_text(static_cast<double>(ns), base::text::kTimeLive);
}

std::string eta(std::uint64_t s) {
  if (s >= 3600) return fmt::format(" [eta {:02}h:{:02}m:{:02}s]", s / 3600, s / 60 % 60, s % 60);
  return fmt::format(" [eta {:02}m:{:02}s]", s / 60, s % 60);
}

}  // namespace

std::string paging_line(const PagingSnapshot& s) {
  std::string out = fmt::format("{} [{:.1f}%]", s.phase, 100 * s.done_share);
  if (s.accesses_per_s <= 0) return out;
  out += fmt::format(" {} accesses/s, minor {}/s, major {}/s", rate(s.accesses_per_s), rate(s.minor_per_s),
                     rate(s.major_per_s));
  if (s.ns_p99 > 0) out += fmt::format(", p50 {}, p99 {}", time_text(s.ns_p50), time_text(s.ns_p99));
  return s.eta_s > 0 ? out + eta(s.eta_s) : out;
}

}  // namespace fathom::live
