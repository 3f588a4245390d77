// The clock, and what fathom itself costs.
#include <fmt/format.h>

#include <cmath>

#include "audit/doctor/lines.h"
#include "audit/run_findings.h"
#include "base/text/drift_text.h"

namespace fathom::audit::doctor {
namespace {

void loop_line(const char* name, const std::optional<double>& ns, Lines& out) {
  if (!ns) {
    out.push_back(
        measured_line(name, "could not be measured", std::nullopt, "ns", "check that enough memory is free for a job"));
    return;
  }
  out.push_back(
      measured_line(name,
                    fmt::format("{:.1f} ns per I/O: up to {:.2g} M IOPS, this is less than {:.0f} % of the time", *ns,
                                kOwnShareOfMedian / *ns * 1000, 100 * kOwnShareOfMedian),
                    *ns, "ns", *ns > kSlowLoop_ns ? "use a release build, on an idle CPU" : ""));
}

}  // namespace

void check_choice(const Facts& f, Lines& out) {
  Line line = sound_line("clock of a run", f.clock.source + ": " + f.clock.reason);
  if (f.clock.source != "cpu") {
    line.check.cost = "each clock read takes longer, which affects latencies below a microsecond";
    line.check.remedy = "fix the cause named above";
    line.prevents = {Ability::short_latency};
  }
  out.push_back(std::move(line));
}

void check_test(const Facts& f, Lines& out) {
  const auto& clock = f.clock;
  result::DoctorCheck line{"cross-core test", clock.verdict, std::nullopt, "", ""};
  if (clock.verdict == "not tested") {
    if (!clock.reason.empty()) line.text += ": " + clock.reason;
    line.remedy =
        "end the programs that keep those CPUs busy, or run `fathom clock test`, which waits for the CPUs and stores "
        "its verdict for this boot";
    out.push_back({std::move(line)});
    return;
  }
  line.text +=
      fmt::format(" ({}{}), CPUs {}", clock.test, clock.test_cached ? ", of this boot" : "", clock.cpus_tested);
  if (clock.detectable_ns > 0) {
    line.text += fmt::format(": the test detects an offset of {:.0f} ns or more between two CPUs", clock.detectable_ns);
    line.value = clock.detectable_ns;
    line.unit = "ns";
  }
  if (clock.verdict == "failed") {
    line.text += fmt::format(": time ran backwards {} times", clock.mismatches);
    line.remedy =
        "run `fathom clock test` to find the CPUs that disagree; until then runs take timestamps with clock_gettime";
  }
  out.push_back({std::move(line)});
}

void check_calibration(const Facts& f, Lines& out) {
  const auto& clock = f.clock;
  if (clock.source != "cpu") return;
  const bool loose = clock.calibration_error_ppm > kMostDrift_ppm;
  out.push_back(measured_line("calibration",
                              fmt::format("{:.6g} MHz, from {}; checked within ± {:.2g} ppm",
                                          clock.ticks_per_second / 1e6, clock.calibration, clock.calibration_error_ppm),
                              clock.ticks_per_second / 1e6, "MHz", loose ? "calibrate on an idle machine" : ""));
}

void check_drift(const Facts& f, Lines& out) {
  if (!f.clock.drift_ppm) {
    out.push_back(measured_line(
        "drift", "not known: no run of 1 s or more in this boot", std::nullopt, "ppm",
        "measure it with a run: fathom run --name=t --ioengine=null --size=1g --time_based --runtime=10"));
    return;
  }
  const double drift = *f.clock.drift_ppm, bound = f.clock.drift_bound_ppm;
  const bool off = std::abs(drift) - bound > kMostDrift_ppm;
  out.push_back(measured_line(
      "drift",
      fmt::format("{}, measured by an earlier run of this boot ({:.3g} s)", base::text::drift_text(drift, bound),
                  f.drift_over_s),
      drift, "ppm",
      off ? "look for suspend, migration or a changed host clock; runs take timestamps with clock_gettime" : ""));
}

void check_readings(const Facts& f, Lines& out) {
  for (const auto& r : f.readings) {
    const char* remedy = "";
    if (r.read_ns > kSlowReading_ns)
      remedy = r.source == "cpu"
                   ? "use another host: the hypervisor seems to trap the counter"
                   : "choose another clocksource of the kernel: with this one each clock read is a system call";
    out.push_back(measured_line("reading " + r.source,
                                fmt::format("{:.1f} ns, smallest step seen {:.4g} ns", r.read_ns, r.resolution_ns),
                                r.read_ns, "ns", remedy));
  }
}

void check_record(const Facts& f, Lines& out) {
  out.push_back(measured_line("recording a latency", fmt::format("{:.1f} ns", f.record_ns), f.record_ns, "ns",
                              f.record_ns > kSlowRecord_ns ? "use a release build, on an idle CPU" : ""));
}

void check_loops(const Facts& f, Lines& out) {
  loop_line("loop at depth 1", f.loop_ns_depth_1, out);
  loop_line("loop at depth 128", f.loop_ns_depth_128, out);
}

}  // namespace fathom::audit::doctor
