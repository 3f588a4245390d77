// `--breakdown`: what part of each I/O's time passed where, a table a direction of a job, and under it what was not
// covered, what the parts were found on, and how far the two clocks can be apart.
#include <fmt/format.h>

#include "report/normal_parts.h"
#include "stats/percentiles.h"

namespace fathom::report {
namespace {

std::string us(double ns) { return fmt::format("{:.2f}", ns / 1e3); }

std::string row(std::string_view name, const result::PartLatency& part, double whole_sum_ns) {
  if (!part.covered) return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>9}\n", name, "-", "-", "-", "-");
  const auto percentile = [&](double p) {
    return us(static_cast<double>(stats::percentile_within(part.histogram_ns, part.moments_ns, p)));
  };
  const double share = whole_sum_ns > 0 ? 100 * static_cast<double>(part.moments_ns.sum) / whole_sum_ns : 0;
  return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>8.1f}%\n", name, us(part.moments_ns.mean()), percentile(50),
                     percentile(99), share);
}

std::string counts(const result::BreakdownClass& c) {
  struct Row {
    std::uint64_t count;
    const char* words;
  };
  const Row rows[] = {{c.no_request, "without a request (page cache, a hole)"},
                      {c.contested, "beside another I/O at the same sectors"},
                      {c.unplaced, "of which it is not known where they lie"},
                      {c.cut, "still under way when tracing was switched off"},
                      {c.lost, "with events missing"}};
  std::string out;
  for (const auto& r : rows)
    if (r.count > 0) out += fmt::format(", {} {}", r.count, r.words);
  return out;
}

std::string table(const result::BreakdownClass& c) {
  std::string out = fmt::format("  breakdown {} {}: {} I/Os looked at, {} matched{}\n", c.job, c.direction, c.ios,
                                c.matched, counts(c));
  if (c.matched + c.no_request == 0) return out;
  out += fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>9}\n", "part", "mean us", "p50 us", "p99 us", "share");
  const double whole_ns = static_cast<double>(c.whole.moments_ns.sum);
  if (c.matched > 0) {
    for (std::size_t p = 0; p < result::kParts; ++p)
      out += row(name(static_cast<result::Part>(p)), c.parts[p], whole_ns);
    out += row("sum", c.sum, whole_ns);
    out += row("whole", c.whole, whole_ns);
  }
  if (c.outside > 0)
    out += fmt::format("    of {} I/Os events lie before the issue or after the reap, by {:.2f} us at most\n",
                       c.outside, static_cast<double>(c.outside_max_ns) / 1e3);
  if (c.others.covered && c.matched > 0) out += row("others", c.others, static_cast<double>(c.others.moments_ns.sum));
  if (c.uncovered.covered) out += row("uncovered", c.uncovered, static_cast<double>(c.uncovered.moments_ns.sum));
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string breakdown_lines(const result::Run& run) {
  if (!run.breakdown || !run.breakdown->asked) return "";
  const auto& b = *run.breakdown;
  std::string out;
  if (!b.cause.empty())
    out += fmt::format("  breakdown: {}{}\n", b.classes.empty() ? "none: " : "not of all: ", b.cause);
  for (const auto& c : b.classes) out += table(c);
  if (b.classes.empty()) return out;
  out += fmt::format("  breakdown by {} ({}) on {}; clocks agree within {:.0f} ns\n", joined(b.tracepoints),
                     b.events_by, joined(b.devices), b.clock_error_ns);
  out +=
      fmt::format("  breakdown cost: {} events, reader {:.2f} s of a CPU; looked {:.0f} % of the time, one I/O in {}\n",
                  b.events, b.reader_cpu_s, 100 * b.seen_share, b.one_in);
  if (b.events_lost + b.stamps_lost > 0)
    out += fmt::format("  breakdown lost: {} events, {} stamps found no room\n", b.events_lost, b.stamps_lost);
  if (b.lost_at_s >= 0) out += fmt::format("  breakdown lost: the tracepoints were gone after {:.1f} s\n", b.lost_at_s);
  return out;
}

}  // namespace fathom::report
