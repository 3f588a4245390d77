// Two lines, with columns of fixed width, so that numbers do not move.
#include "live/paging_lines.h"

#include <fmt/format.h>

#include "base/text/sparkline.h"
#include "base/text/unit_text.h"
#include "live/paging_line.h"

namespace fathom::live {
namespace {

std::string time_or_dash(std::uint64_t ns) {
  return ns > 0 ? base::text::unit_text(static_cast<double>(ns), base::text::kTimeLive) : "-";
}

}  // namespace

std::vector<std::string> PagingLines::look(const std::string& which, const paging::Progress& p, double duration_s,
                                           std::size_t columns, bool utf8) {
  std::vector<std::string> lines{which + phase_line(p, duration_s)};
  if (p.phase != paging::Progress::Phase::measuring) return accesses_per_s_.clear(), lines;
  accesses_per_s_.push_back(p.late.accesses_per_s);
  if (accesses_per_s_.size() > kKept) accesses_per_s_.erase(accesses_per_s_.begin());
  const auto text =
      fmt::format("  {:>5} acc/s minor {:>5}/s major {:>5}/s p50 {:>7} p99 {:>7} p99.9 {:>7} ",
                  rate_text(p.late.accesses_per_s), rate_text(p.late.minor_per_s), rate_text(p.late.major_per_s),
                  time_or_dash(p.late.ns_p50), time_or_dash(p.late.ns_p99), time_or_dash(p.late.ns_p999));
  const std::size_t room = columns > text.size() ? columns - text.size() : 0;
  lines.push_back(text + base::text::sparkline(accesses_per_s_, room, utf8));
  return lines;
}

}  // namespace fathom::live
