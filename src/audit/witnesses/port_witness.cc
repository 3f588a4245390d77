// Cross-check: the PCIe counter of the port that the disks are connected to. It sees the bytes of the block layer plus
// the bytes that commands add on the link. If the port is shared, it also sees other endpoints' traffic. PMUs differ in
// whether they count the commands' own bytes, so these are tolerance in both directions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "audit/witnesses/witness.h"
#include "stats/unit_factor.h"

namespace fathom::audit::witnesses {
namespace {

// Returns the probable unit error of a PCIe counter that is off by a known factor. Pure.

// `factor`: seen / expected, as returned by stats::unit_factor.
const char* unit_why(double factor);

struct FactorRow {
  double factor;
  const char* why;
};
constexpr FactorRow kFactors[] = {
    {16, "the counter was in bytes already and was taken as units of 16 (dwc_rootport_* counts bytes)"},
    {1.0 / 16, "the counter is in units of 16 bytes and was taken as bytes (pcie_bdf_* counts such units)"},
    {4, "the counter was taken as 4 bytes a count where it is 1 (or as 16 where it is 4)"},
    {1.0 / 4, "the counter is in dwords of 4 bytes and was taken as bytes (or in 16 and was taken as 4)"},
    {8, "the counter was taken as 32 bytes a count where it is 4 (Intel's IIO before and after Ice Lake)"},
    {1.0 / 8, "the counter is in 32 bytes and was taken as 4 (Intel's IIO under kernels before April 2025)"},
    {32, "the counter was in bytes already and was taken as beats of 32 bytes"},
    {1.0 / 32, "the counter is in beats of 32 bytes and was taken as bytes"},
    {64, "the counter was in bytes already and was taken as units of 64 bytes"},
    {1.0 / 64, "the counter is in units of 64 bytes (cache lines, AMD's beats) and was taken as bytes"},
    {512, "the counter was in bytes already and was taken as sectors of 512 bytes"},
    {1.0 / 512, "the counter is in sectors of 512 bytes and was taken as bytes"},
};

const char* unit_why(double factor) {
  for (const auto& row : kFactors)
    if (row.factor == factor) return row.why;
  return "";
}

using result::Verdict;

// The jobs that drive a device behind the port themselves. apart = false: one of them also drives devices elsewhere.
struct Driven {
  std::vector<JobPair> jobs;
  bool apart = true;
};

Driven driven_here(const Case& c, const PortReach& port) {
  Driven driven;
  for (const auto& pair : c.jobs) {
    const auto& devices = pair.reach->devices;
    const auto here = std::count_if(devices.begin(), devices.end(), [&](const auto& device) {
      return std::find(port.devices.begin(), port.devices.end(), device) != port.devices.end();
    });
    if (here == 0) continue;
    driven.jobs.push_back(pair);
    driven.apart &= static_cast<std::size_t>(here) == devices.size();
  }
  return driven;
}

void expect_payload(const Case& c, const PortReach& port, Way way, Witness& w) {
  const char* column = way == Way::read ? "read_sectors" : "write_sectors";
  for (const auto& disk : port.disks)
    if (const auto* count = find(c.counts, "block", disk, column))
      expect(w, "block layer of " + disk, count->value, count->rule);
  const Moved m = moved(driven_here(c, port).jobs, way);
  if (m.bytes > 0) expect(w, "engine", m.bytes, fmt::format("{:.0f} I/Os", m.ios));
}

// Another port's counter that counted what this one should have counted.
const result::Count* right_port(const Case& c, const Witness& w) {
  for (const auto& count : c.counts)
    if (count.source == w.source && count.subject != w.subject && count.direction == w.direction &&
        count.unit == "bytes" &&
        std::abs(count.value - w.expected_bytes) <= w.tolerance_bytes + 0.02 * w.expected_bytes)
      return &count;
  return nullptr;
}

bool conclude_wrong_port(const Case& c, const PortReach& port, Witness& w) {
  const auto* right = right_port(c, w);
  constexpr double kNextToNothing = 0.01;
  if (right == nullptr && w.seen_high_bytes > kNextToNothing * w.expected_bytes) return false;
  conclude(w, Verdict::disagrees, "wrong_port",
           right != nullptr ? fmt::format("{} counted {}, but {} counted {}: the device is behind that port", w.subject,
                                          bytes_text(w.seen_bytes), right->subject, bytes_text(right->value))
                            : fmt::format("{} counted {} while {} passed: the device is not behind {}", w.subject,
                                          bytes_text(w.seen_bytes), bytes_text(w.expected_bytes),
                                          port.port.empty() ? "its port" : port.port));
  return true;
}

// True: an idle rate was used. If the machine never settled, there is no idle interval.
bool explain_idle(const Case& c, Witness& w) {
  if (!c.run.settle.settled || rest(w) <= w.tolerance_bytes) return false;
  for (const auto& count : c.counts) {
    if (count.source != "idle_pcie" || count.subject != w.subject || count.direction != w.direction) continue;
    if (count.window_s <= 0) continue;
    const auto* seen = find(c.counts, "pcie_pmu", w.subject, count.name);
    const double window_s = seen == nullptr ? 0 : seen->window_s;
    const double bytes = std::min(rest(w), count.value / count.window_s * window_s);
    if (bytes <= 0) continue;
    const auto how =
        fmt::format("{} in {:.1f} s before the run, x {:.1f} s", bytes_text(count.value), count.window_s, window_s);
    explain(w, "others in the idle window", bytes, how);
    conclude(w, Verdict::explained, "foreign_io",
             "other processes used the port during the run, as before the run: " + how);
    return true;
  }
  return false;
}

// The port's interval begins before the block layer's and ends after it. The job moves nothing in between, so only the
// port counts what other processes move then. It is estimated with their mean rate, doubled because their I/O comes in
// bursts.
double between_windows_bytes(const Case& c, const PortReach& port, Way way, const result::Count& count) {
  constexpr double kBursts = 2;
  const char* column = way == Way::read ? "read_sectors" : "write_sectors";
  double block = 0, between_s = 0, window_s = 0;
  for (const auto& disk : port.disks) {
    const auto* seen = find(c.counts, "block", disk, column);
    if (seen == nullptr || seen->window_s <= 0) continue;
    block += seen->value;
    window_s = seen->window_s;
    between_s = std::max(between_s, std::abs(count.window_s - seen->window_s));
  }
  const double foreign_bytes = std::max(0.0, block - moved(c.jobs, way).bytes);
  return window_s > 0 ? kBursts * foreign_bytes * between_s / window_s : 0;
}

bool conclude_wrong_unit(Witness& w) {
  if (!conclude_unit_error(w, w.subject)) return false;
  if (const auto factor = stats::unit_factor(w.seen_bytes, w.expected_bytes))
    w.cause += fmt::format(": {}", unit_why(*factor));
  return true;
}

void judge(const Case& c, const PortReach& port, Way way, const result::Count& count, Witness& w) {
  expect_payload(c, port, way, w);
  if (!driven_here(c, port).apart)
    return conclude(w, Verdict::no_witness, "",
                    "a job uses devices behind several ports: its bytes per port are unknown");
  const double overhead = way == Way::read ? port.read_overhead_bytes : port.write_overhead_bytes;
  const double payload = w.expected_bytes;
  if (overhead > 0) expect(w, "commands", overhead, port.overhead_how);
  see(w, count);
  if (conclude_lost(w, &count)) return;
  w.tolerance_bytes = overhead + count.unit_bytes + kNegligible * payload + between_windows_bytes(c, port, way, count);
  if (count.aliased)
    return conclude(w, Verdict::explained, "aliased",
                    "the estimate changes with the length of its slots: the load interferes with the slots, and the "
                    "estimate is not "
                    "exact; count one event at a time (--audit=pmu, a job of one direction)");
  if (within(w)) return conclude(w, Verdict::agrees, "", "");
  if (explain_idle(c, w) && within(w)) return;
  if (conclude_wrong_port(c, port, w) || conclude_wrong_unit(w)) return;
  const double difference = rest(w);
  if (difference > 0 && !port.shared.empty()) {
    explain(w, "others behind the port", difference, "shared with " + joined(port.shared));
    return conclude_also(
        w, difference, "foreign_io",
        fmt::format("{} more passed the port, which is shared with {}", bytes_text(difference), joined(port.shared)));
  }
  conclude(w, Verdict::disagrees, difference > 0 ? "foreign_io" : "missing_io",
           fmt::format("{} counted {} {} than passed the device", w.subject, bytes_text(std::abs(difference)),
                       difference > 0 ? "more" : "less"));
}

}  // namespace

void judge_ports(const Case& c, Witnesses& out) {
  for (const auto& port : c.facts.ports)
    for (const Way way : kWays) {
      if (moved(c.jobs, way).bytes <= 0) continue;
      for (const auto& count : c.counts) {
        if (count.source != "pcie_pmu" || count.subject != port.subject || count.direction != name(way)) continue;
        Witness w = witness("pcie_pmu", port.subject, way);
        judge(c, port, way, count, w);
        out.push_back(std::move(w));
      }
    }
}

}  // namespace fathom::audit::witnesses
