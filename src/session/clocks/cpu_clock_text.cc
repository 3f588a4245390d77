// Calibration and cross-core test in the lines of fio's --cpuclock-test, column for column. fio's lines about the
// search for its multiplier are omitted: fathom computes its conversion in another way.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "session/clocks/cpu_clock_text.h"

namespace fathom::session::clocks {

// S is the deviation divided by the number of measurements. The trimmed mean covers values within one deviation.
std::string calibration_text(const CpuClockCalibration& found) {
  const auto& values = found.ticks_per_ms;
  const std::string head = fmt::format("time     {:<5} ", found.pid);
  std::string out;
  double mean = 0, squares = 0, within = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += fmt::format("{}cycles[{}]={}\n", head, i, values[i]);
    mean += static_cast<double>(values[i]) / static_cast<double>(values.size());
  }
  for (const auto v : values) squares += (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean);
  const double deviation = values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
  std::size_t n = 0;
  for (const auto v : values) {
    if (std::abs(static_cast<double>(v) - mean) > deviation) continue;
    within += static_cast<double>(v);
    ++n;
  }
  if (n > 0) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    out += fmt::format("{}min={}, max={}, mean={:f}, S={:f}, N={}\n", head, *least, *most, mean,
                       deviation / static_cast<double>(values.size()), values.size());
    out += fmt::format("{}trimmed mean={:.0f}, N={}\n", head, std::floor(within / static_cast<double>(n)), n);
  }
  const auto& c = found.calibration;
  if (c.source == clock::sources::Source::cpu)
    out += fmt::format("{}clock_shift={}, clock_mult={}\n", head, 64 - c.conversion.pre_shift, c.conversion.mult);
  out += fmt::format("{}calibrated by {}\n", head, c.method);
  return out + fmt::format("{}cycles_start={}\n", head, found.start_ticks);
}

std::string cpuclock_text(const clock::cores::TestRun& run) {
  std::string out;
  for (const auto& c : run.findings.cpus)
    out += fmt::format("cs: cpu{:3}: {} clocks seen, first {}\n", c.cpu, c.last - c.first, c.first);
  const auto side = [&out](const clock::cores::Entry& e) {
    out += fmt::format("\t CPU{:3}: TSC={}, SEQ={}\n", e.cpu, e.tsc, e.sequence);
  };
  for (const auto& m : run.findings.first_mismatches) {
    out += fmt::format("cs: CPU clock mismatch (diff={}):\n", m.diff());
    side(m.earlier);
    side(m.later);
  }
  switch (outcome_of(run)) {
    case clock::Outcome::passed:
      return out + "cs: Pass!\n";
    case clock::Outcome::failed:
      return out + fmt::format("cs: Failed: {}\n", run.findings.mismatches);
    case clock::Outcome::not_tested:
      break;
  }
  return out + fmt::format("cs: {}\n", text_of(run));
}

}  // namespace fathom::session::clocks
