// A thread's averages. Each is printed twice: in us with four decimals, and in whole clock ticks, truncated. Both
// readings bound the value, and so does the net average (latency minus overhead). The chosen value is within all these
// bounds. So a file that is read and written again has the same numbers. pmbench computes us in float, with several
// roundings, and ticks as integers. From about 170 us on, the two can contradict each other; then ticks are right.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "import/pmbench/pmbench_parts.h"

namespace fathom::import::pmbench {
namespace {

struct Bounds {
  double low = 0, high = 0;
  double middle() const { return (low + high) / 2; }
};

// Relative error of a product or quotient in float: three roundings of half a bit in 24.
constexpr double kFloatError = 4e-7;

std::optional<Bounds> common(Bounds a, Bounds b) {
  const Bounds c{std::max(a.low, b.low), std::min(a.high, b.high)};
  return c.low < c.high ? std::optional(c) : std::nullopt;
}

// The common part, or the first if the two contradict each other.
Bounds both(Bounds a, Bounds b) { return common(a, b).value_or(a); }

// The bounds of a value printed in us with four decimals. pmbench stores a net average in a float, so its rounding is
// included.
Bounds printed_ns(double us, bool as_float) {
  const auto value = static_cast<float>(us);
  const double rounding = (static_cast<double>(std::nextafter(value, INFINITY)) - static_cast<double>(value)) / 2;
  if (as_float && rounding > 0.00005) return {(value - rounding) * 1e3, (value + rounding) * 1e3};
  return {us * 1e3 - 0.05, us * 1e3 + 0.05};
}

Bounds bounds_ns(XmlReader& in, pugi::xml_node node, const std::string& prefix, double ticks_a_ns) {
  const double us = std::clamp(in.real(node, (prefix + "_us").c_str()), -1e30, 1e30);
  const auto ticks = static_cast<double>(in.integer(node, (prefix + "_clk").c_str()));
  const Bounds of_us = printed_ns(us, prefix == "netavg");
  if (ticks_a_ns <= 0) return of_us;
  // Truncated towards zero.
  const Bounds of_ticks{(ticks > 0 ? ticks : ticks - 1) / ticks_a_ns, (ticks < 0 ? ticks : ticks + 1) / ticks_a_ns};
  if (const auto bounds = common(of_us, of_ticks)) return *bounds;
  const double rounded_ns = kFloatError * std::abs(us) * 1e3;
  return common({of_us.low - rounded_ns, of_us.high + rounded_ns}, of_ticks).value_or(of_us);
}

std::uint64_t total_ns(double each_ns, std::uint64_t count) {
  constexpr double kMost = 9e18;
  return static_cast<std::uint64_t>(std::llround(std::clamp(each_ns * static_cast<double>(count), 0.0, kMost)));
}

result::PagingThread read_thread(XmlReader& in, pugi::xml_node node, double ticks_a_ns, int index) {
  result::PagingThread worker;
  worker.thread = index;
  const auto details = in.need(node, "result_details");
  const auto samples = in.count(details, "details_samples");
  auto latency = bounds_ns(in, in.need(details, "details_latency"), "latency", ticks_a_ns);
  auto overhead = bounds_ns(in, in.need(details, "details_overhead"), "overhead", ticks_a_ns);
  const auto net = bounds_ns(in, in.need(node, "result_netavg"), "netavg", ticks_a_ns);
  latency = both(latency, {overhead.low + net.low, overhead.high + net.high});
  const double latency_ns = latency.middle();
  overhead = both(overhead, {latency_ns - net.high, latency_ns - net.low});
  worker.accesses[0] = samples;
  worker.wall_ns = total_ns(latency_ns, samples);
  worker.overhead_ns = std::max(0.0, overhead.middle());
  worker.overhead_accesses = in.count(details, "details_total");
  if (const auto warmup = node.child("warmup_details")) {
    worker.warmup_accesses = in.count(warmup, "warmup_total");
    worker.warmup_ns = total_ns(bounds_ns(in, in.need(warmup, "warmup_latency"), "warmup", ticks_a_ns).middle(),
                                worker.warmup_accesses);
  }
  return worker;
}

}  // namespace

void read_threads(XmlReader& in, pugi::xml_node report, result::Run& run) {
  auto& paging = *run.paging;
  const auto results = in.need(report, "result");
  double accesses = 0;
  for (const auto node : results.children("result_thread")) {
    const int index = static_cast<int>(paging.workers.size());
    paging.workers.push_back(read_thread(in, node, paging.clock.ticks_per_second / 1e9, index));
    paging.window_ns = std::max(paging.window_ns, paging.workers.back().wall_ns);
    accesses += static_cast<double>(paging.workers.back().accesses[0]);
  }
  if (results && paging.workers.empty())
    in.fail(results, "no <result_thread> in <result>", "a report has one per thread");
  if (paging.window_ns == 0) return;
  paging.score.accesses_per_s = accesses * 1e9 / static_cast<double>(paging.window_ns);
  paging.score.how = "accesses over the longest thread's time";
}

}  // namespace fathom::import::pmbench
