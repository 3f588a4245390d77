// Several events that must share one counter. Each gets it for short slots of random length, in a new random order
// every round: a load that beats with the slots then shows as spread and not as a wrong number. The unobserved time is
// estimated with an interval. Pure except for the given random generator. docs/reference/audit.md states how far to
// trust it.
//
// Why an interval is possible for any load: a round has 2 slots per event, at random places. The slots of an event are
// therefore a random sample without replacement of its activity, two from each round. The two differ from each other as
// much as the sample errs (stratified sampling: Cochran, Sampling Techniques, ch. 5; slots of different length make it
// a ratio, ch. 6). The only assumption is that the load does not follow the generator. Slots of fixed length in turn
// are not a random sample: their interval is valid only for a load that does not beat with them. `aliased` and
// `compare` check this.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"

namespace fathom::pmu::slots {

// One slot of one event: its count and length.
struct Slot {
  std::uint32_t event = 0;
  double start_ns = 0, length_ns = 0;  // since the window began; time for which the event had the counter
  double count = 0;
  std::uint32_t round = 0;
  std::uint32_t plan = 0;            // of two slot lengths
  double sub_ns = 0, sub_count = 0;  // part up to a read in its middle; sub_ns 0: no such read
  double edge_ns = 0;  // duration of the calls that began and ended it: the counter started and stopped within them
};

struct SlotPlan {
  double mean_ns = 4e6;
  double jitter = 0.25;  // lengths are uniform in mean x (1 - jitter, 1 + jitter); 0: fixed, in turn (to show aliasing)
};

// The plan of the next slot.
struct PlannedSlot {
  std::uint32_t event = 0, round = 0, plan = 0;
  double end_ns = 0;
  double sub_ns = 0;  // when to read it once before its end; 0: no such read
};

// Plans random rounds of one plan, or of two that alternate in random order. Fixed slots end on multiples of their
// length since the window began, so that a synchronous load stays synchronous.
class SlotSchedule {
 public:
  SlotSchedule(std::size_t events, std::vector<SlotPlan> plans, std::uint64_t seed);
  PlannedSlot next(double now_ns);
  void stretch(double factor);  // of the plans' lengths, from the next round on

 private:
  void draw_round();
  struct Place {
    std::uint32_t event;
    double length_ns;
  };
  std::size_t events_;
  std::vector<SlotPlan> plans_;
  base::Prng random_;
  double stretch_ = 1;
  std::vector<Place> round_;  // remaining slots of the round, the next one last
  std::uint32_t rounds_ = 0, plan_ = 0;
};

// The truth is in [low, high] with `confidence`. confidence 0: too few slots; it is only known that `low` was counted.
struct Estimate {
  double total = 0;  // over the window
  double low = 0, high = 0;
  double confidence = 0.99;
  std::size_t slots = 0;
  double share = 0;  // observed share of the window
  bool few = false;  // a dozen slots or fewer have nearly all: a burst of another size may have been missed
};

// The estimate for one event over window_ns, from its slots (other slots are skipped). Slots of two plans are one
// sample.
Estimate estimate(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence = 0.99);
// True if two estimates of the same load with different slot lengths cannot both be right (one pair in 10,000 by
// chance).
bool aliased(const Estimate& a, const Estimate& b);
// For events with counts that are added: sums the totals, and the squares of the half widths.
Estimate sum(std::span<const Estimate> parts);

// One window with rounds of two alternating plans: the result of each alone, and whether it depends on the slot length.
// Compared round by round, so that a slow change of the load does not count as a difference.
struct PlanComparison {
  Estimate a, b;
  bool aliased = false;
};
PlanComparison compare(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence = 0.99);
// True if the load always changes at the same place within the slots: one of the two follows the other. From reads
// within slots. A load that is exactly synchronous with the edges of fixed slots is not detected.
bool locked(std::span<const Slot> slots, std::uint32_t event);

// Events that were counted all the time, in addition to the slots: increments from one slot to the next.
struct Beside {
  std::vector<std::uint32_t> events;
  std::vector<double> grown;    // slots x events
  std::vector<double> wall_ns;  // one per slot: between the two reads
};

// Counting can slow the load (a tracepoint adds half a microsecond to a call of a tenth). The load is then slower in
// the slots in which an event was on than in the rest of the window. Their estimate is wrong, however many there are.
// The slots alone cannot show it, but events counted all the time can: their rate differs while the event has its turn.
// Turns are random, so the turn causes the difference. (With fixed slots the load may cause it.)
struct Effect {
  std::uint32_t event = 0, beside = 0;  // the event with the turn, and the one with a different rate
  double during = 0, otherwise = 0;     // per ns
};
// The largest effect that is not chance (one set of slots in 10,000) and matters. nullopt: no such effect, or no events
// that could show it.
std::optional<Effect> effect_of_counting(std::span<const Slot> slots, const Beside& beside);

}  // namespace fathom::pmu::slots
