// Gives the events of one counter their slots: a thread enables one event, sleeps, disables it, reads it, and continues
// with the next event of the schedule. A thread on a counter's CPU serves the counter of a single CPU: its calls then
// interrupt no other. The length of a slot is measured by the counter's own times, so a late thread makes a long slot
// but no error. If the thread may choose the length, it measures the cost of a slot and makes slots long enough to stay
// within its share of one CPU, but never so long that the window would have fewer than 64. Events that the machine
// cannot count have no turn. A requested length is doubled only to limit memory.
// Events that need no counter (counters.h) have no turn either: they count for the whole window, and their count is
// exact. Some of them are also read at every slot, which shows whether counting an event changes the load.
// Errors: as Counters::enable.
// Thread rule: start and finish by one thread; the counters belong to the runner's thread in between.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.h"
#include "pmu/counters.h"
#include "pmu/slots/slots.h"

namespace fathom::pmu::slots {

struct SlotRunnerOptions {
  std::vector<SlotPlan> plans{SlotPlan{}};  // two: in alternation, for comparison
  double cpu_share = 0.003;                 // of one CPU: slots are lengthened to stay below it; 0: lengths stay
  std::uint64_t seed = 0;                   // 0: from the clock
  bool of_task = false;                     // the events count tasks, not CPUs: their own times stop while tasks wait
};

struct SlotRun {
  std::vector<Slot> slots;
  double window_ns = 0;
  std::vector<events::EventCount> counts;  // one per event, as last read
  std::vector<bool> whole;                 // one per event: counted for the whole window, not in slots
  Beside beside;                           // of the slots
  double cpu_ns = 0;                       // CPU time of the thread
  double stretch = 1;                      // of the plans' lengths, at the end
  std::optional<double> lost_at_ns;
};

class SlotRunner {
 public:
  // The window begins with the first slot, before this returns.
  static base::Expected<std::unique_ptr<SlotRunner>> start(Counters counters, SlotRunnerOptions options);
  ~SlotRunner();
  // Ends the window of the turns after their PMU has gone. Events that count all the time continue.
  void end_turns();
  // Ends the window. Call once.
  SlotRun finish();

 private:
  struct State;
  explicit SlotRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The factor for all lengths once `slots` slots are kept: slots then grow with the logarithm of the time.
double stretch_to_keep(std::size_t slots);

// How long an event had the counter, between two reads that are `wall_ns` apart. For tasks: by wall time, since their
// own time stops while they wait (a slot in which they never ran counted nothing, and that is known). For CPUs: by the
// counter's times, which are sums over its CPUs.
double held_ns(const events::EventCount& before, const events::EventCount& after, double wall_ns, bool of_task);

}  // namespace fathom::pmu::slots
