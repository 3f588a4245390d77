// Results of `fathom clock sources`: every clock of a machine, and the one that a run uses.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct ReadCost {  // of one read
  double min = 0, p50 = 0, p99 = 0;
};

struct ClockSource {
  std::string name, clocksource;
  bool for_runs = false, chosen = false;
  std::optional<ReadCost> cost_ns;  // nullopt: the CPU clock has no rate
  ReadCost cost_ticks;
  std::optional<double> smallest_step_ns, resolution_ns;  // nullopt: for the CPU clock, if it has no rate
  std::uint64_t smallest_step_ticks = 0, resolution_ticks = 0, reads = 0, backward_steps = 0;
};

struct ClockRate {
  double ticks_per_second = 0, error_ppm = 0;
  std::string calibration;
};
struct BootDrift {
  double ppm = 0, bound_ppm = 0, over_s = 0;
};

struct ClockSources {
  static constexpr const char* kFormat = "fathom clock sources";

  bool invariant = false;
  std::string kernel_clocksource;  // empty: unknown
  std::optional<ClockRate> rate;   // nullopt: it could not be calibrated
  std::vector<std::string> calibration_notes;
  std::string test_outcome, test_kind, test_words;
  bool test_cached = false;
  std::optional<BootDrift> drift;
  std::string clocksource, reason;  // for a run without clocksource=
  bool fit = false, fell_back = false;
  std::vector<ClockSource> sources;
};

template <class W>
void walk(W& w, Like<ReadCost> auto& cost) {
  w.field(Key("min", "fastest read"), cost.min);
  w.field(Key("p50", "median of the reads"), cost.p50);
  w.field(Key("p99", "99th percentile of the reads"), cost.p99);
}

template <class W>
void walk(W& w, Like<ClockSource> auto& source) {
  w.field(Key("name", "name of the way to read the clock"), source.name);
  w.field(Key("clocksource", "name of the clock in a job"), source.clocksource);
  w.field(Key("for_runs", "a job can use it; the others are listed for comparison"), source.for_runs);
  w.field(Key("chosen", "a run uses it"), source.chosen);
  if (w.present("cost_ns", source.cost_ns)) w.part(Key("cost_ns", "cost of one read"), *source.cost_ns);
  w.part(Key("cost_ticks", "cost of one read, in ticks of the CPU clock"), source.cost_ticks);
  w.maybe(Key("smallest_step_ns", "smallest difference between two readings that differ"), source.smallest_step_ns);
  w.maybe(Key("resolution_ns", "smallest step that the clock often shows"), source.resolution_ns);
  w.field(Key("smallest_step_ticks", "smallest difference in ticks of this clock"), source.smallest_step_ticks);
  w.field(Key("resolution_ticks", "resolution in ticks of this clock"), source.resolution_ticks);
  w.field(Key("reads", "number of reads"), source.reads);
  w.field(Key("backward_steps", "number of backward steps"), source.backward_steps);
}

template <class W>
void walk(W& w, Like<ClockSources> auto& all) {
  w.group(Key("cpu_clock", "what is known of the CPU clock"), [&](auto& in) {
    in.field(Key("invariant", "its rate is constant"), all.invariant);
    in.field(Key("kernel_clocksource", "clock source of the kernel; empty: unknown"), all.kernel_clocksource);
    if (in.present("ticks_per_second", all.rate)) {
      in.field(Key("ticks_per_second", "rate of the CPU clock"), all.rate->ticks_per_second);
      in.field(Key("error_ppm", "bound on the error of the rate"), all.rate->error_ppm);
      in.field(Key("calibration", "how the rate was determined"), all.rate->calibration);
    }
    in.texts(Key("calibration_notes", "sentences about the calibration"), all.calibration_notes);
    in.field(Key("test_outcome", "outcome of the cross-core test"), all.test_outcome);
    in.field(Key("test_kind", "cross-core test: `none`, `short`, `long`"), all.test_kind);
    in.field(Key("test_cached", "the outcome is of an earlier test of this boot"), all.test_cached);
    in.field(Key("test_words", "sentence: the outcome of the test"), all.test_words);
    if (!in.present("drift_ppm", all.drift)) return;
    in.field(Key("drift_ppm", "best known drift of this boot"), all.drift->ppm);
    in.field(Key("drift_bound_ppm", "error of the drift"), all.drift->bound_ppm);
    in.field(Key("drift_over_s", "time over which the drift was measured"), all.drift->over_s);
  });
  w.group(Key("choice", "clock of a run without `clocksource=`"), [&](auto& in) {
    in.field(Key("clocksource", "name of the clock"), all.clocksource);
    in.field(Key("fit", "the clock is fit for use, as far as is known"), all.fit);
    in.field(Key("fell_back", "the CPU clock would have been used, but was not"), all.fell_back);
    in.field(Key("reason", "sentence: why this clock is used"), all.reason);
  });
  w.list(Key("sources", "one per way to read a clock"), "source", all.sources);
}

}  // namespace fathom::result
