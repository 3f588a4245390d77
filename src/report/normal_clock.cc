// The clock that stamped a run, in words, and what fathom itself cost: two lines for each kind of job, so that no
// number stands on a clock whose state is not in sight.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/normal_parts.h"

namespace fathom::report {

std::string lines_by_text(const result::Run& run, const char* word,
                          const std::function<std::string(const result::Job&)>& text_of) {
  struct Line {
    std::string text, name;
    std::size_t jobs;
  };
  std::vector<Line> lines;
  for (const auto& job : run.jobs) {
    const std::string text = text_of(job);
    if (text.empty()) continue;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.text == text; });
    if (same != lines.end())
      ++same->jobs;
    else
      lines.push_back({text, job.name, 1});
  }
  std::string out;
  for (const auto& line : lines)
    out += fmt::format("  {} {}{}: {}\n", word, line.name,
                       line.jobs > 1 ? fmt::format(" and {} more", line.jobs - 1) : "", line.text);
  return out;
}

namespace {

// "passed the cross-core test (short, CPUs 0-1, sees offsets from 35 ns)"
std::string test_text(const result::ClockFacts& clock) {
  if (clock.check_skipped) return "not tested (--clock-check=skip)";
  const bool why_below = clock.fell_back || !clock.fit;  // the reason is said already, and holds it
  if (clock.test == "none") return clock.verdict + (why_below || clock.reason.empty() ? "" : ": " + clock.reason);
  const std::string verdict = clock.verdict == "failed"
                                  ? fmt::format("failed the cross-core test {} times", clock.mismatches)
                                  : clock.verdict + " the cross-core test";
  std::string how = clock.test;
  if (clock.test_cached) how += ", of this boot";
  if (!clock.cpus_tested.empty()) how += ", CPUs " + clock.cpus_tested;
  if (clock.detectable_ns > 0) how += fmt::format(", offsets from {:.0f} ns up would show", clock.detectable_ns);
  return fmt::format("{} ({})", verdict, how);
}

std::string drift_text(double drift_ppm, double bound_ppm) {
  if (std::abs(drift_ppm) <= bound_ppm) return fmt::format("below {:.3g} ppm", std::abs(drift_ppm) + bound_ppm);
  return fmt::format("{:+.3g} ppm (± {:.2g})", drift_ppm, bound_ppm);
}

// The bound of a short run says more of its length than of the clock: the best known of this boot stands first.
std::string drift_text(const result::ClockFacts& clock) {
  if (!clock.drift_ppm) return "";
  const std::string own = drift_text(*clock.drift_ppm, clock.drift_bound_ppm);
  if (!clock.boot_drift_ppm) return "; drift over the run " + own;
  return fmt::format("; drift {}, the best known of this boot (a run of {:.3g} s; over this run alone {})",
                     drift_text(*clock.boot_drift_ppm, clock.boot_drift_bound_ppm), clock.boot_drift_over_s, own);
}

std::string clock_text(const result::Job& job) {
  const auto& clock = job.clock;
  if (clock.source.empty()) return "";
  std::string out = clock.source;
  if (clock.fell_back) out += " in the CPU clock's place: " + clock.reason;
  if (!clock.fell_back && !clock.fit) out += ", unfit: " + clock.reason;
  if (clock.source == "cpu" || clock.fell_back || clock.source == "sim")
    out += (clock.fell_back || !clock.fit ? "; " : ", ") + test_text(clock);
  if (clock.source == "cpu") out += fmt::format("; {:.6g} MHz by {}", clock.ticks_per_second / 1e6, clock.calibration);
  if (clock.source == "cpu" && clock.calibration_error_ppm > 0)
    out += fmt::format(" (± {:.2g} ppm)", clock.calibration_error_ppm);
  out += drift_text(clock);
  if (clock.read_cost_ns > 0)
    out += fmt::format("; a reading costs {:.1f} ns, the smallest step seen is {:.4g} ns", clock.read_cost_ns,
                       clock.resolution_ns);
  return out;
}

std::string cost_text(const result::Job& job) {
  if (!job.own_cost) return "";
  return fmt::format("{:.1f} ns an I/O on this machine, {:.1f} ns of it for each recorded latency",
                     job.own_cost->loop_ns_per_io, job.own_cost->record_ns);
}

}  // namespace

std::string clock_lines(const result::Run& run) {
  return lines_by_text(run, "clock", clock_text) + lines_by_text(run, "own cost", cost_text);
}

}  // namespace fathom::report
