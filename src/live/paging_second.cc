// Formatted without a library, as in second.cc.
#include "live/paging_second.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "live/second.h"

namespace fathom::live {

using Phase = paging::Progress::Phase;

const char* phase_name(Phase phase) {
  constexpr const char* kPhases[] = {"mapping", "filling", "warming up", "measuring"};
  return kPhases[static_cast<int>(phase)];
}

std::string paging_json_line(const paging::Progress& p, double duration_s, std::uint64_t epoch_ms) {
  const bool measuring = p.phase == Phase::measuring;
  const auto when = [](bool told, std::uint64_t value) { return told ? std::to_string(value) : std::string("null"); };
  const auto left_s = static_cast<std::uint64_t>(std::ceil(std::max(0.0, duration_s - p.elapsed_s)));
  return fmt::format(
      R"({{"time_epoch_ms":{},"elapsed_s":{:.3f},"phase":"{}","done_percent":{:.1f},"eta_s":{},"accesses":{},"minor":{},"major":{},)"
      R"("accesses_per_s":{:.1f},"minor_per_s":{:.1f},"major_per_s":{:.1f},"access_n":{},"access_ns_p50":{},"access_ns_p99":{},"access_ns_p999":{}}})"
      "\n",
      epoch_ms, p.elapsed_s, phase_name(p.phase), 100 * p.done_share, when(measuring, left_s), p.accesses, p.minor,
      p.major, p.late.accesses_per_s, p.late.minor_per_s, p.late.major_per_s, p.late.n,
      when(p.late.n > 0, p.late.ns_p50), when(p.late.ns_p99 > 0, p.late.ns_p99),
      when(p.late.ns_p999 > 0, p.late.ns_p999));
}

std::string paging_metrics_text(const paging::Progress& p) {
  const auto rate = [](double value) { return fmt::format("{:.1f}", value); };
  std::string out =
      single("fathom_done_ratio", "Completed share of this phase, 0 to 1.", fmt::format("{:.4f}", p.done_share));
  out += single("fathom_elapsed_seconds", "Seconds since the phase started.", fmt::format("{:.3f}", p.elapsed_s));
  if (p.phase != Phase::measuring) return out;
  out += counter("fathom_accesses_total", "Accesses made.", p.accesses);
  out += counter("fathom_minor_faults_total", "Accesses with a minor fault.", p.minor);
  out += counter("fathom_major_faults_total", "Accesses with a major fault.", p.major);
  out += single("fathom_accesses_per_second", "Accesses per second, in the last second.", rate(p.late.accesses_per_s));
  out += single("fathom_minor_faults_per_second", "Minor faults per second, in the last second.",
                rate(p.late.minor_per_s));
  out += single("fathom_major_faults_per_second", "Major faults per second, in the last second.",
                rate(p.late.major_per_s));
  std::string latencies;
  const auto add = [&](const char* quantile, std::uint64_t ns) {
    if (ns > 0)
      latencies += fmt::format("fathom_access_latency_seconds{{quantile=\"{}\"}} {:.9f}\n", quantile,
                               static_cast<double>(ns) * 1e-9);
  };
  add("0.5", p.late.ns_p50), add("0.99", p.late.ns_p99), add("0.999", p.late.ns_p999);
  return out +
         "# HELP fathom_access_latency_seconds Latency percentiles of the accesses of the last second.\n"
         "# TYPE fathom_access_latency_seconds gauge\n" +
         latencies;
}

}  // namespace fathom::live
