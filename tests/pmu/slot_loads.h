// Loads with a known truth for the tests of slots: what each counts from a to b, asked for stretch after stretch. Time
// in ns, seeded.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "base/prng.h"
#include "pmu/slots/slots.h"

namespace fathom::pmu {

inline constexpr double kMs = 1e6;

inline double normal(base::Prng& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
  return radius * std::cos(2 * std::numbers::pi * random.unit());
}

inline double poisson(base::Prng& random, double mean) {
  if (mean > 50) return std::max(0.0, std::round(mean + std::sqrt(mean) * normal(random)));
  const double limit = std::exp(-mean);
  double product = random.unit();
  int n = 0;
  for (; product > limit; ++n) product *= random.unit();
  return n;
}

using Load = std::function<double(double from_ns, double to_ns)>;

inline Load steady(base::Prng& random, double per_ns) {
  return [&random, per_ns](double a, double b) { return poisson(random, per_ns * (b - a)); };
}

// On and off for exponentially distributed times.
inline Load bursts(base::Prng& random, double per_ns, double on_ns, double off_ns) {
  struct State {
    bool on = false;
    double until = 0;
  };
  auto state = std::make_shared<State>();
  state->on = random.unit() < on_ns / (on_ns + off_ns);
  const auto draw = [&random, on_ns, off_ns](bool on) { return -std::log(1 - random.unit()) * (on ? on_ns : off_ns); };
  state->until = draw(state->on);
  return [=, &random](double a, double b) {
    double busy = 0;
    for (; state->until < b; state->until += draw(state->on)) {
      if (state->on) busy += state->until - a;
      a = state->until;
      state->on = !state->on;
    }
    if (state->on) busy += b - a;
    return poisson(random, per_ns * busy);
  };
}

// Between 0.2 and 1.8 times the mean, once up and down in `period_ns`.
inline Load drifting(base::Prng& random, double per_ns, double period_ns) {
  return [&random, per_ns, period_ns](double a, double b) {
    const double at = (a + b) / 2;
    return poisson(random, per_ns * (1 + 0.8 * std::sin(2 * std::numbers::pi * at / period_ns)) * (b - a));
  };
}

// On for half a period, off for half, without chance: what beats with slots. `phase_ns` into the period at time 0.
inline double square_until(double t_ns, double period_ns) {
  const double whole = std::floor(t_ns / period_ns);
  return whole * period_ns / 2 + std::min(t_ns - whole * period_ns, period_ns / 2);
}
inline Load square(double per_ns, double period_ns, double phase_ns) {
  return [=](double a, double b) {
    return per_ns * (square_until(b + phase_ns, period_ns) - square_until(a + phase_ns, period_ns));
  };
}

struct Simulated {
  std::vector<slots::Slot> slots;
  double truth = 0;
};

// Slots of `events` events over a load of event 0, with a gap after each in which nothing counts.
inline Simulated simulate(const Load& load, std::size_t events, std::vector<slots::SlotPlan> plans, double window_ns,
                          std::uint64_t seed, double gap_ns = 0) {
  Simulated result;
  slots::SlotSchedule schedule(events, std::move(plans), seed);
  for (double now = 0; now < window_ns;) {
    const slots::PlannedSlot planned = schedule.next(now);
    const double end = std::min(planned.end_ns, window_ns);
    slots::Slot slot{planned.event, now, end - now, 0, planned.round, planned.plan, 0, 0, 0};
    if (planned.sub_ns > 0 && planned.sub_ns < end) {
      slot.sub_ns = planned.sub_ns - now;
      slot.sub_count = load(now, planned.sub_ns);
      slot.count = slot.sub_count + load(planned.sub_ns, end);
    } else {
      slot.count = load(now, end);
    }
    result.truth += slot.count;
    if (slot.event != 0) slot.count = slot.sub_count = 0;
    result.slots.push_back(slot);
    now = end;
    if (gap_ns > 0 && now < window_ns) {
      const double next = std::min(now + gap_ns, window_ns);
      result.truth += load(now, next);
      now = next;
    }
  }
  return result;
}

// A load that goes on at `during` of its pace while event 0 has its turn, with what is counted beside the slots: what
// the load did, and page faults that have nothing to do with it. `truth` is what the load did, `slots` what event 0
// saw.
struct Slowed : Simulated {
  slots::Beside beside;
};
inline Slowed simulate_slowed(base::Prng& random, double during, double window_ns, std::uint64_t seed) {
  constexpr double kPace = 3e-3, kFaults = 2e-6;  // a ns
  Slowed result;
  result.beside.events = {2, 3};
  slots::SlotSchedule schedule(2, {slots::SlotPlan{}}, seed);
  for (double now = 0; now < window_ns;) {
    const slots::PlannedSlot planned = schedule.next(now);
    const double length = std::min(planned.end_ns, window_ns) - now;
    const double done = poisson(random, kPace * length * (planned.event == 0 ? during : 1));
    result.truth += done;
    result.slots.push_back(
        {planned.event, now, length, planned.event == 0 ? done : 0, planned.round, planned.plan, 0, 0, 0});
    result.beside.grown.push_back(done);
    result.beside.grown.push_back(poisson(random, kFaults * length));
    result.beside.wall_ns.push_back(length);
    now += length;
  }
  return result;
}

}  // namespace fathom::pmu
