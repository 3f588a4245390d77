// `--breakdown`: how much of the latency the parts explain, what part of each I/O's time passed where (a table a
// direction of a job, where the I/Os with parts can stand for it), what the others waited for, what the parts were
// found on, and how far the two clocks can be apart.
#include <fmt/format.h>

#include <algorithm>

#include "report/normal_parts.h"
#include "result/percentiles.h"

namespace fathom::report {
namespace {

using result::Undivided;

std::string us(double ns) { return fmt::format("{:.2f}", ns / 1e3); }

std::string row(std::string_view name, const result::PartLatency& part, double whole_sum_ns) {
  if (!part.covered) return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>9}\n", name, "-", "-", "-", "-");
  const auto percentile = [&](double p) {
    const auto value = result::percentile_of(part, p);
    return value ? us(static_cast<double>(*value)) : part.moments_ns.n == 0 ? us(0) : "-";
  };
  const double share = whole_sum_ns > 0 ? 100 * static_cast<double>(part.moments_ns.sum) / whole_sum_ns : 0;
  return fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>8.1f}%\n", name, us(part.moments_ns.mean()), percentile(50),
                     percentile(99), share);
}

// What is not all of it is not called 100 %.
std::string percent(double share) {
  constexpr double kNearlyAll = 99.9;
  return fmt::format("{:.1f} %", share < 1 ? std::min(kNearlyAll, 100 * share) : 100);
}

std::string why(Undivided reason, const result::BreakdownClass& c) {
  switch (reason) {
    case Undivided::no_request:
      return c.direct ? "no block of theirs was ever written (a hole, or only reserved), so no request was made"
                      : "without a request of their own (page cache, a hole)";
    case Undivided::handed_on:
      return "handed to another task before the block layer saw them, probably held by an I/O limit of the cgroup";
    case Undivided::read_ahead:
      return "waited for pages that were on their way already (read-ahead)";
    case Undivided::contested:
      return "beside another I/O at the same sectors";
    case Undivided::unplaced:
      return "of which it is not known where they lie";
    case Undivided::cut:
      return "still under way when tracing was switched off";
    case Undivided::lost:
      return "with events missing";
    case Undivided::unknown:
      break;
  }
  return "none of whose events was seen; why is not known";
}

// The I/Os that the parts do not speak of, the most time first.
std::string rest_lines(const result::BreakdownClass& c) {
  const double all_ns = result::looked_at_ns(c);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result::kUndivided; ++i)
    if (c.undivided[i].ios > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return c.undivided[a].time_ns > c.undivided[b].time_ns; });
  std::string out;
  for (const auto i : order) {
    const auto& rest = c.undivided[i];
    const double ns = static_cast<double>(rest.time_ns), ios = static_cast<double>(rest.ios);
    out +=
        fmt::format("    not divided: {} I/O{}, {} of the time, mean {} us: {}\n", rest.ios, rest.ios == 1 ? "" : "s",
                    percent(all_ns > 0 ? ns / all_ns : 0), us(ns / ios), why(static_cast<Undivided>(i), c));
  }
  return out;
}

std::string parts_table(const result::BreakdownClass& c) {
  std::string out =
      fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>9}\n", "part", "mean us", "p50 us", "p99 us", "share");
  const double whole_ns = static_cast<double>(c.whole.moments_ns.sum);
  for (std::size_t p = 0; p < result::kParts; ++p) {
    const auto part = static_cast<result::Part>(p);
    const bool flushed = part == result::Part::completion && c.flushes > 0;
    out += row(flushed ? "compl.+flush" : name(part), c.parts[p], whole_ns);
  }
  out += row("sum", c.sum, whole_ns);
  out += row("whole", c.whole, whole_ns);
  if (c.others.covered) out += row("others", c.others, static_cast<double>(c.others.moments_ns.sum));
  if (c.flushes > 0)
    out += fmt::format(
        "    each write waits for a flush after its data (sync=; {} flushes were seen): it lies under compl.+flush\n",
        c.flushes);
  if (c.outside > 0)
    out += fmt::format("    of {} I/Os events lie before the issue or after the reap, by {:.2f} us at most\n",
                       c.outside, static_cast<double>(c.outside_max_ns) / 1e3);
  return out;
}

std::string table(const result::BreakdownClass& c) {
  std::string out = fmt::format("  breakdown {} {}: {} I/O{} looked at, {} matched\n", c.job, c.direction, c.ios,
                                c.ios == 1 ? "" : "s", c.matched);
  const bool all_looked_at = !c.others.covered && c.of(Undivided::cut).ios == 0;
  out += fmt::format("    the parts explain {} of {}\n", percent(result::explained_share(c)),
                     all_looked_at ? "this job's latency" : "the latency of the I/Os looked at");
  if (result::stands_for_job(c))
    out += parts_table(c);
  else if (c.matched > 0)
    out += fmt::format("    no table: it takes {} matched I/Os and {:.0f} % of the time to speak for the job\n",
                       result::kFewestDivided, 100 * result::kLeastExplained);
  return out + rest_lines(c);
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
