// Gives the events of one counter their slots: a thread enables one event, sleeps, disables it, reads it, and goes on
// to the next that the schedule draws. A counter of one CPU is served by a thread on that CPU: the calls to it then
// interrupt no other. How long a slot was is taken from the counter's own times, so a late thread makes a long slot and
// no error. Where the length is left to it, the thread measures what a slot costs and makes slots long enough to stay
// within its share of one CPU, but never so long that the window would hold fewer than 64. Events
// that the machine cannot count have no turn; a length that was asked for is doubled only where memory is at stake.
// Events that need no counter (counters.h) have no turn either: they count for the whole window, and their count is
// exact. A few of them are read at every slot as well, which shows whether counting an event changes the load.
// Errors: as Counters::enable. Thread rule: start and finish by one thread; the counters belong to the runner's thread
// in between.
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
  std::vector<SlotPlan> plans{SlotPlan{}};  // two: by turns, to be compared
  double cpu_share = 0.003;                 // of one CPU: slots are stretched to cost no more; 0: lengths stay
  std::uint64_t seed = 0;                   // 0: from the clock
  bool of_task = false;                     // the events count tasks and not CPUs: their own times stand still
};

struct SlotRun {
  std::vector<Slot> slots;
  double window_ns = 0;
  std::vector<events::EventCount> counts;  // an event, as read last
  std::vector<bool> whole;                 // an event: counted for the whole window, not in slots
  Beside beside;                           // of the slots
  double cpu_ns = 0;                       // what the thread used
  double stretch = 1;                      // of the plans' lengths, at the end
  std::optional<double> lost_at_ns;
};

class SlotRunner {
 public:
  // The window begins with the first slot, before this returns.
  static base::Expected<std::unique_ptr<SlotRunner>> start(Counters counters, SlotRunnerOptions options);
  ~SlotRunner();
  // Ends the window of the turns, where their PMU has gone: what is counted all the time goes on.
  void end_turns();
  // Ends the window. Once.
  SlotRun finish();

 private:
  struct State;
  explicit SlotRunner(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What all lengths are multiplied with once so many slots are kept: slots then grow with the logarithm of the time.
double stretch_to_keep(std::size_t slots);

// How long a counter was an event's, between two readings of it that are `wall_ns` apart. Of tasks: by the wall, for
// their own time stands still while they wait (a slot in which they never ran counted nothing, and that is known); of
// CPUs: by the counter's times, which are sums over its CPUs.
double held_ns(const events::EventCount& before, const events::EventCount& after, double wall_ns, bool of_task);

}  // namespace fathom::pmu::slots
