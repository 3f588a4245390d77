// The JSON report of `fathom clock test`; docs/measurement.md describes every field.
#include <cmath>

#include "cli/clock_test_injected.h"
#include "cli/clock_test_report.h"
#include "report/json_writer.h"

namespace fathom::cli {
namespace {

using report::JsonWriter;

constexpr int kFormatVersion = 1;

struct Scale {
  double ns_per_tick;
  double of(double ticks) const { return ticks * ns_per_tick; }
};

void direction(JsonWriter& w, std::string_view key, const clock::Direction& d, Scale ns) {
  w.begin_object(key);
  w.field("hand_overs", d.hand_overs);
  w.field("mismatches", d.mismatches);
  w.field("smallest_gap_ticks", d.smallest_gap);
  w.field("smallest_gap_ns", ns.of(static_cast<double>(d.smallest_gap)));
  w.field("largest_backward_ticks", d.largest_backward);
  w.field("largest_backward_ns", ns.of(static_cast<double>(d.largest_backward)));
  w.end_object();
}

void pair(JsonWriter& w, const clock::Pair& p, Scale ns) {
  w.begin_object();
  w.field("cpu_a", p.a);
  w.field("cpu_b", p.b);
  direction(w, "a_to_b", p.a_to_b, ns);
  direction(w, "b_to_a", p.b_to_a, ns);
  w.field("steadiness", name(p.steadiness));
  if (const auto detectable = p.detectable()) {
    w.field("detectable_ticks", *detectable);
    w.field("detectable_ns", ns.of(static_cast<double>(*detectable)));
  }
  if (p.steadiness == clock::Steadiness::steady) {
    w.field("offset_ns", ns.of(p.offset));
    w.field("offset_bound_ns", ns.of(p.offset_bound));
  }
  if (p.steadiness == clock::Steadiness::steady || p.steadiness == clock::Steadiness::drifts) {
    if (std::isfinite(p.drift.low_ppm)) w.field("drift_low_ppm", p.drift.low_ppm);
    if (std::isfinite(p.drift.high_ppm)) w.field("drift_high_ppm", p.drift.high_ppm);
  }
  w.end_object();
}

void entry(JsonWriter& w, std::string_view key, const clock::Entry& e) {
  w.begin_object(key);
  w.field("cpu", e.cpu);
  w.field("tsc", e.tsc);
  w.field("seq", e.sequence);
  w.end_object();
}

void cpu_list(JsonWriter& w, std::string_view key, std::span<const unsigned> cpus) {
  w.begin_array(key);
  for (const unsigned cpu : cpus) w.element(cpu);
  w.end_array();
}

void result(JsonWriter& w, const BarrierResult& b, double hz) {
  const Scale ns{hz > 0 ? 1e9 / hz : 0};
  const auto& f = b.run.findings;
  w.field("barrier", row(b.barrier).name);
  w.field("instruction", b.instruction);
  w.field("verdict", name(outcome_of(b.run)));
  w.field("words", words(b.run, hz));
  w.field("took_ns", b.run.took_ns);
  w.field("attempts", b.run.attempts);
  w.field("entries", f.entries);
  w.field("mismatches", f.mismatches);
  w.field("largest_backward_ticks", f.largest_backward);
  w.field("largest_backward_ns", ns.of(static_cast<double>(f.largest_backward)));
  w.field("detectable_ticks", f.detectable);
  w.field("detectable_ns", ns.of(static_cast<double>(f.detectable)));
  cpu_list(w, "at_fault", f.at_fault);
  w.begin_array("per_cpu");
  for (const auto& c : f.cpus) {
    w.begin_object();
    w.field("cpu", c.cpu);
    w.field("entries", c.entries);
    w.field("backward_alone", c.backward);
    w.field("largest_backward_alone_ticks", c.largest_backward);
    w.end_object();
  }
  w.end_array();
  w.begin_array("pairs");
  for (const auto& p : f.pairs) pair(w, p, ns);
  w.end_array();
  w.begin_array("first_mismatches");
  for (const auto& m : f.first_mismatches) {
    w.begin_object();
    w.field("diff_ticks", m.diff());
    entry(w, "earlier", m.earlier);
    entry(w, "later", m.later);
    w.end_object();
  }
  w.end_array();
}

void injections(JsonWriter& w, const ClockTestReport& r) {
  w.begin_array("injected");
  for (const auto& i : r.options.injections) {
    w.begin_object();
    w.field("cpu", i.cpu);
    w.field("offset_ns", i.offset_ns);
    w.field("drift_ppm", i.drift_ppm);
    w.field("outcome", name(fate_of(i, r)));
    w.end_object();
  }
  w.end_array();
}

}  // namespace

std::string clock_test_json(const ClockTestReport& r) {
  JsonWriter w;
  w.begin_object();
  w.field("format", "fathom clock test");
  w.field("format_version", kFormatVersion);
  w.field("verdict", name(outcome_of(r.verdict().run)));
  w.field("words", words(r.verdict().run, r.ticks_per_second));
  w.field("barrier", row(r.verdict().barrier).name);
  cpu_list(w, "cpus", r.options.cpus);
  w.field("entries_per_cpu", r.options.entries);
  w.field("ticks_per_second", r.ticks_per_second);
  w.field("calibration", r.calibration);
  injections(w, r);
  w.field("stored", r.stored);
  w.field("not_stored", r.not_stored);
  w.begin_array("results");
  for (const auto& b : r.results) {
    w.begin_object();
    result(w, b, r.ticks_per_second);
    w.end_object();
  }
  w.end_array();
  w.end_object();
  return w.take();
}

}  // namespace fathom::cli
