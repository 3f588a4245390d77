// One line per direction, with columns of fixed width, so that numbers do not move.
#include "live/latency_lines.h"

#include <fmt/format.h>

#include "base/text/sparkline.h"
#include "base/text/unit_text.h"
#include "result/sums/percentiles.h"

namespace fathom::live {
namespace {

std::string time_text(const std::optional<std::uint64_t>& ns) {
  return ns ? base::text::unit_text(static_cast<double>(*ns), base::text::kTimeLive) : "-";
}

}  // namespace

ToldLatency told(const result::Latency& latency) {
  ToldLatency t;
  t.n = latency.histogram_ns.total();
  if (t.n == 0) return t;
  t.p50_ns = result::percentile_of(latency, 50);
  if (t.n >= run::sampling::kFewestForP99) t.p99_ns = result::percentile_of(latency, 99);
  if (t.n >= run::sampling::kFewestForP999) t.p999_ns = result::percentile_of(latency, 99.9);
  return t;
}

std::vector<std::string> LatencyLines::look(const run::Progress& p, std::size_t columns, bool utf8) {
  std::vector<std::string> lines;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    auto& rates = ios_per_s_[d];
    if (p.ios_per_s[d] <= 0 && rates.empty()) continue;
    rates.push_back(p.ios_per_s[d]);
    if (rates.size() > kKept) rates.erase(rates.begin());
    const auto lat = told(p.lat[d]);
    const auto text = fmt::format("  {:<5} {:>7} IOPS {:>8}/s  p50 {:>7}  p99 {:>7}  p99.9 {:>7}  ", kDirectionNames[d],
                                  base::text::unit_text(p.ios_per_s[d], base::text::kRateLive),
                                  base::text::unit_text(p.bytes_per_s[d], base::text::kBytesThree),
                                  time_text(lat.p50_ns), time_text(lat.p99_ns), time_text(lat.p999_ns));
    const std::size_t room = columns > text.size() ? columns - text.size() : 0;
    lines.push_back(text + base::text::sparkline(rates, room, utf8));
  }
  return lines;
}

}  // namespace fathom::live
