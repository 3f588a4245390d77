// Several events that have to share one counter: each gets it for short slots of jittered length in an order drawn anew
// every round, so that a load that beats with the slots shows as spread and not as a wrong number. What was not looked
// at is estimated with an interval. Pure but for the random generator it is given. docs/reference/audit.md says how far
// to trust it.
//
// Why an interval can be given whatever the load does: a round is 2 slots an event, at places drawn at random. So the
// slots in which an event was seen are a random sample without replacement, two from each round, of what it did, and
// the two differ from each other as much as the sample errs (stratified sampling: Cochran, Sampling Techniques, ch. 5;
// slots of different length make it a ratio, ch. 6). Nothing is assumed of the load but that it does not follow the
// generator. Slots of fixed length in turn are no sample: their interval holds only for a load that does not beat with
// them, which is what `aliased` and `compare` are for.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/prng.h"

namespace fathom::pmu::slots {

// One slot of one event: what it counted and for how long.
struct Slot {
  std::uint32_t event = 0;
  double start_ns = 0, length_ns = 0;  // since the window began; in which the counter was the event's
  double count = 0;
  std::uint32_t round = 0;
  std::uint32_t plan = 0;            // of two slot lengths
  double sub_ns = 0, sub_count = 0;  // of it, up to a reading in its middle; sub_ns 0: there was none
  double edge_ns = 0;                // duration of the calls that began and ended it: somewhere in them the counter did
};

struct SlotPlan {
  double mean_ns = 4e6;
  double jitter = 0.25;  // lengths are uniform in mean x (1 - jitter, 1 + jitter); 0: fixed, in turn (to show aliasing)
};

// What the next slot shall be.
struct PlannedSlot {
  std::uint32_t event = 0, round = 0, plan = 0;
  double end_ns = 0;
  double sub_ns = 0;  // when to read it once before its end; 0: not at all
};

// Draws rounds: of one plan, or of two by turns in an order drawn as well. Fixed slots end on multiples of their
// length since the window began, so that they stay in step with what they are in step with.
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
  std::vector<Place> round_;  // what is left of it, the next one last
  std::uint32_t rounds_ = 0, plan_ = 0;
};

// low and high hold the truth with `confidence`; confidence 0: too few slots to say more than that `low` was counted.
struct Estimate {
  double total = 0;  // over the window
  double low = 0, high = 0;
  double confidence = 0.99;
  std::size_t slots = 0;
  double share = 0;  // of the window that was looked at
  bool few = false;  // nearly all was seen in a dozen slots or fewer: a burst of another size may have been missed
};

// Of one event over window_ns, from its slots (others' are skipped). Slots of two plans are one sample.
Estimate estimate(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence = 0.99);
// Two estimates of the same load with different slot lengths that cannot both be right (one pair in 10,000 by chance).
bool aliased(const Estimate& a, const Estimate& b);
// Of events whose counts are added: totals, and the squares of the half widths.
Estimate sum(std::span<const Estimate> parts);

// One window with rounds of two plans by turns: what each says alone, and whether the result changes with the slot.
// Held against each other round by round, so that a load that changes slowly does not count as a difference.
struct PlanComparison {
  Estimate a, b;
  bool aliased = false;
};
PlanComparison compare(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence = 0.99);
// The load changes within the slots always at the same place: it follows them, or they follow it. From sub-reads; a
// load that is in step with fixed slots to the edge does not show.
bool locked(std::span<const Slot> slots, std::uint32_t event);

// Events that were counted all the time beside the slots: how much each grew from one slot to the next.
struct Beside {
  std::vector<std::uint32_t> events;
  std::vector<double> grown;    // slots x events
  std::vector<double> wall_ns;  // one a slot: between the two readings
};

// Counting can slow what is counted (a tracepoint adds half a microsecond to a call of a tenth). The slots in which an
// event was on are then of a slower load than the rest of the window, and what they say of it is wrong however many
// there are. From them alone it cannot be seen; what was counted all the time shows it: at another pace while the event
// had its turn than while others had theirs. Turns are drawn, so that a difference is the turn's doing. (With fixed
// slots it may be the load's.)
struct Effect {
  std::uint32_t event = 0, beside = 0;  // whose turn, and what went at another pace
  double during = 0, otherwise = 0;     // a ns
};
// The largest that is not chance (one set of slots in 10,000) and matters; nothing: none, or nothing to see it by.
std::optional<Effect> effect_of_counting(std::span<const Slot> slots, const Beside& beside);

}  // namespace fathom::pmu::slots
