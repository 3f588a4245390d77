// Does the result depend on the slot length? Two measured intervals are compared by their confidence intervals. Two
// plans in one interval are compared round by round (a paired test). Sub-reads are compared by the halves of a slot.
// All three require a difference that matters and that chance gives once in 10,000. Does the load depend on which event
// has the slot? Events counted all the time show this, also round by round.
#include <algorithm>
#include <cmath>
#include <set>

#include "pmu/slots/slots.h"
#include "stats/repeat.h"

namespace fathom::pmu::slots {
namespace {

constexpr double kCertain = 0.9999;
constexpr double kMatters = 0.02;        // of the larger estimate
constexpr double kMattersInSlot = 0.05;  // of the rate: from the middle of a slot to its halves
constexpr std::size_t kFewest = 8;       // differences needed for a test
constexpr unsigned kNormal = 1'000'000;  // degrees of freedom

double rate(double count, double ns) { return ns > 0 ? count / ns : 0; }

// True if the differences are more than chance. tests: the number of tests, because more tests give chance more tries.
bool differ(std::span<const double> differences, double matters, std::size_t tests = 1) {
  if (differences.size() < kFewest) return false;
  const double n = static_cast<double>(differences.size());
  double mean = 0, squares = 0;
  for (double d : differences) mean += d / n;
  for (double d : differences) squares += (d - mean) * (d - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  return std::abs(mean) > std::max(matters, error * stats::t_quantile(1 - (1 - kCertain) / static_cast<double>(tests),
                                                                      static_cast<unsigned>(n) - 1));
}

// The event's slots of each round, combined to one slot.
std::vector<Slot> by_round(std::span<const Slot> slots, std::uint32_t event) {
  std::vector<Slot> rounds;
  std::optional<std::uint32_t> round;
  for (const auto& slot : slots) {
    if (round != slot.round) rounds.push_back({event, slot.start_ns, 0, 0, slot.round, slot.plan, 0, 0, 0});
    round = slot.round;
    if (slot.event != event) continue;
    rounds.back().length_ns += slot.length_ns;
    rounds.back().count += slot.count;
    rounds.back().edge_ns += slot.edge_ns;
  }
  return rounds;
}

// From the rounds of one plan: a pair of plans is one place, two pairs are one stratum.
Estimate of_plan(std::vector<Slot> rounds, std::uint32_t plan, double window_ns, double confidence) {
  const std::uint32_t event = rounds.empty() ? 0 : rounds.front().event;
  for (auto& round : rounds) {
    if (round.plan != plan) round.length_ns = 0;
    round.round /= 4;
  }
  return estimate(rounds, event, window_ns, confidence);
}

// The rate of an event that is counted all the time, while `event` had its turn, and otherwise.
struct Pace {
  double during = 0, during_ns = 0, otherwise = 0, otherwise_ns = 0;
  void add(bool turn, double grown, double wall_ns) {
    (turn ? during : otherwise) += grown;
    (turn ? during_ns : otherwise_ns) += wall_ns;
  }
};

// nullopt: no difference beyond chance.
std::optional<Effect> effect_on(std::span<const Slot> slots, const Beside& beside, std::size_t column,
                                std::uint32_t event, std::size_t tests) {
  Pace all, round;
  std::vector<double> differences;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const double grown = beside.grown[i * beside.events.size() + column];
    all.add(slots[i].event == event, grown, beside.wall_ns[i]);
    round.add(slots[i].event == event, grown, beside.wall_ns[i]);
    if (i + 1 < slots.size() && slots[i + 1].round == slots[i].round) continue;
    if (round.during_ns > 0 && round.otherwise_ns > 0)
      differences.push_back(rate(round.during, round.during_ns) - rate(round.otherwise, round.otherwise_ns));
    round = {};
  }
  const Effect effect{event, beside.events[column], rate(all.during, all.during_ns),
                      rate(all.otherwise, all.otherwise_ns)};
  if (!differ(differences, kMatters * std::max(effect.during, effect.otherwise), tests)) return std::nullopt;
  return effect;
}

double size_of(const Effect& effect) {
  const auto [less, more] = std::minmax(effect.during, effect.otherwise);
  return more > 0 ? 1 - less / more : 0;
}

}  // namespace

std::optional<Effect> effect_of_counting(std::span<const Slot> slots, const Beside& beside) {
  std::set<std::uint32_t> events;
  for (const auto& slot : slots) events.insert(slot.event);
  std::optional<Effect> largest;
  if (events.size() < 2) return largest;
  for (std::size_t column = 0; column < beside.events.size(); ++column)
    for (const auto event : events) {
      const auto found = effect_on(slots, beside, column, event, events.size() * beside.events.size());
      if (found && (!largest || size_of(*found) > size_of(*largest))) largest = found;
    }
  return largest;
}

bool aliased(const Estimate& a, const Estimate& b) {
  if (a.confidence <= 0 || b.confidence <= 0) return false;
  const Estimate& less = a.total < b.total ? a : b;
  const Estimate& more = a.total < b.total ? b : a;
  const auto deviation = [](double half, double confidence) { return half / stats::t_quantile(confidence, kNormal); };
  const double error =
      std::hypot(deviation(less.high - less.total, less.confidence), deviation(more.total - more.low, more.confidence));
  return more.total - less.total > std::max(error * stats::t_quantile(kCertain, kNormal), kMatters * more.total);
}

PlanComparison compare(std::span<const Slot> slots, std::uint32_t event, double window_ns, double confidence) {
  const auto rounds = by_round(slots, event);
  PlanComparison result;
  result.a = of_plan(rounds, 0, window_ns, confidence);
  result.b = of_plan(rounds, 1, window_ns, confidence);
  std::vector<double> differences;
  for (std::size_t i = 0; i + 1 < rounds.size(); i += 2) {
    const Slot& first = rounds[i].plan == 0 ? rounds[i] : rounds[i + 1];
    const Slot& second = rounds[i].plan == 0 ? rounds[i + 1] : rounds[i];
    if (first.plan == second.plan || first.length_ns <= 0 || second.length_ns <= 0) continue;
    differences.push_back(rate(first.count, first.length_ns) - rate(second.count, second.length_ns));
  }
  const double most = std::max(result.a.total, result.b.total);
  result.aliased = differ(differences, kMatters * rate(most, window_ns));
  return result;
}

bool locked(std::span<const Slot> slots, std::uint32_t event) {
  std::vector<double> differences;
  double count = 0, seen_ns = 0;
  for (const auto& slot : slots) {
    if (slot.event != event) continue;
    count += slot.count, seen_ns += slot.length_ns;
    if (slot.sub_ns <= 0 || slot.sub_ns >= slot.length_ns) continue;
    differences.push_back(rate(slot.sub_count, slot.sub_ns) -
                          rate(slot.count - slot.sub_count, slot.length_ns - slot.sub_ns));
  }
  return differ(differences, 2 * kMattersInSlot * rate(count, seen_ns));
}

Estimate sum(std::span<const Estimate> parts) {
  if (parts.empty()) return {};
  Estimate all = parts.front();
  double below = 0, above = 0, counted = 0;
  all.total = 0, all.slots = 0;
  for (const auto& part : parts) {
    all.total += part.total;
    all.slots += part.slots;
    all.confidence = std::min(all.confidence, part.confidence);
    all.share = std::min(all.share, part.share);
    all.few |= part.few;
    below += (part.total - part.low) * (part.total - part.low);
    above += (part.high - part.total) * (part.high - part.total);
    counted += part.total * part.share;
  }
  all.low = std::max(all.total - std::sqrt(below), std::min(counted, all.total));
  all.high = all.total + std::sqrt(above);
  return all;
}

}  // namespace fathom::pmu::slots
