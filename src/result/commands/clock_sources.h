// What `fathom clock sources` measured: every clock of a machine, and which one a run takes.
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
  std::optional<ReadCost> cost_ns;  // none: the CPU clock has no rate
  ReadCost cost_ticks;
  std::optional<double> smallest_step_ns, resolution_ns;  // none: the same, of the CPU clock
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
  std::optional<ClockRate> rate;   // none: it could not be calibrated
  std::vector<std::string> calibration_notes;
  std::string test_outcome, test_kind, test_words;
  bool test_cached = false;
  std::optional<BootDrift> drift;
  std::string clocksource, reason;  // of a run that does not ask
  bool fit = false, fell_back = false;
  std::vector<ClockSource> sources;
};

template <class W>
void walk(W& w, Like<ReadCost> auto& cost) {
  w.field(Key("min", "of the reads"), cost.min);
  w.field(Key("p50", "of the reads"), cost.p50);
  w.field(Key("p99", "of the reads"), cost.p99);
}

template <class W>
void walk(W& w, Like<ClockSource> auto& source) {
  w.field(Key("name", "of the way to read it"), source.name);
  w.field(Key("clocksource", "as a job names it"), source.clocksource);
  w.field(Key("for_runs", "a job can have it; the others are here to compare"), source.for_runs);
  w.field(Key("chosen", "a run takes it"), source.chosen);
  if (w.present("cost_ns", source.cost_ns)) w.part(Key("cost_ns", "of a read"), *source.cost_ns);
  w.part(Key("cost_ticks", "of a read, in ticks of the CPU clock"), source.cost_ticks);
  w.maybe(Key("smallest_step_ns", "between two readings that differ"), source.smallest_step_ns);
  w.maybe(Key("resolution_ns", "the smallest step that it often shows"), source.resolution_ns);
  w.field(Key("smallest_step_ticks", "of this clock"), source.smallest_step_ticks);
  w.field(Key("resolution_ticks", "of this clock"), source.resolution_ticks);
  w.field(Key("reads", "in all"), source.reads);
  w.field(Key("backward_steps", "time ran backwards so often"), source.backward_steps);
}

template <class W>
void walk(W& w, Like<ClockSources> auto& all) {
  w.group(Key("cpu_clock", "what is known of it"), [&](auto& in) {
    in.field(Key("invariant", "it runs at one rate"), all.invariant);
    in.field(Key("kernel_clocksource", "empty: unknown"), all.kernel_clocksource);
    if (in.present("ticks_per_second", all.rate)) {
      in.field(Key("ticks_per_second", "its rate"), all.rate->ticks_per_second);
      in.field(Key("error_ppm", "the bound of its error"), all.rate->error_ppm);
      in.field(Key("calibration", "how it was found"), all.rate->calibration);
    }
    in.texts(Key("calibration_notes", "sentences"), all.calibration_notes);
    in.field(Key("test_outcome", "of the cross-core test"), all.test_outcome);
    in.field(Key("test_kind", "`none`, `short`, `long`"), all.test_kind);
    in.field(Key("test_cached", "of earlier in this boot"), all.test_cached);
    in.field(Key("test_words", "a sentence"), all.test_words);
    if (!in.present("drift_ppm", all.drift)) return;
    in.field(Key("drift_ppm", "the best known of this boot"), all.drift->ppm);
    in.field(Key("drift_bound_ppm", "of its error"), all.drift->bound_ppm);
    in.field(Key("drift_over_s", "measured over so long"), all.drift->over_s);
  });
  w.group(Key("choice", "of a run that does not ask"), [&](auto& in) {
    in.field(Key("clocksource", "which"), all.clocksource);
    in.field(Key("fit", "it may be trusted as far as is known"), all.fit);
    in.field(Key("fell_back", "the CPU clock would have been taken, and was not"), all.fell_back);
    in.field(Key("reason", "a sentence"), all.reason);
  });
  w.list(Key("sources", "one a way to read a clock"), "source", all.sources);
}

}  // namespace fathom::result
