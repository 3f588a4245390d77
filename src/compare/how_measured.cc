// The order of the runs, the number of invocations and the time between the sides. They may add other effects to the
// difference.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "compare/judged.h"
#include "stats/comparison/effect.h"

namespace fathom::compare {
namespace {

std::vector<double> places(const Side& side) {
  std::vector<double> out;
  for (const auto& run : side.runs) out.push_back(run.place);
  return out;
}

struct Times {
  std::uint64_t first = UINT64_MAX, last = 0;
};
Times times_of(const Side& side) {
  Times out;
  for (const auto& run : side.runs) {
    out.first = std::min(out.first, run.numbers.time_epoch_ms);
    out.last = std::max(out.last, run.numbers.time_epoch_ms);
  }
  return out;
}

std::string length_text(double ms) {
  const double minutes = ms / 60'000;
  if (minutes < 120) return fmt::format("{:.3g} minutes", minutes);
  if (minutes < 48 * 60) return fmt::format("{:.3g} hours", minutes / 60);
  return fmt::format("{:.3g} days", minutes / (24 * 60));
}

// Reports a gap that exceeds an hour, and ten times the time between two runs of a side.
void say_gap(const Side& a, const Side& b, std::vector<std::string>& out) {
  const auto of_a = times_of(a), of_b = times_of(b);
  const auto& [before, after] = of_a.first <= of_b.first ? std::tie(of_a, of_b) : std::tie(of_b, of_a);
  if (after.first <= before.last) return;
  const double gap = static_cast<double>(after.first - before.last);
  const auto step = [](const Times& times, std::size_t runs) {
    return runs > 1 ? static_cast<double>(times.last - times.first) / static_cast<double>(runs - 1) : 0;
  };
  constexpr double kHour_ms = 3'600'000;
  if (gap > kHour_ms && gap > 10 * std::max(step(of_a, a.runs.size()), step(of_b, b.runs.size())))
    out.push_back(fmt::format("{} between {} and {}: the difference includes other changes in that time",
                              length_text(gap), a.name, b.name));
}

void say_order(Side& a, Side& b, std::vector<std::string>& out) {
  const bool known = place_by_time(a, b);
  if (known && stats::comparison::in_turn(places(a), places(b))) return;
  const bool a_first = a.runs.front().place < b.runs.back().place;
  out.push_back(fmt::format(
      "{} and {} were not measured in turn ({}): a trend inside the sides widens the intervals", a.name, b.name,
      known ? fmt::format("{} came before {}", a_first ? a.name : b.name, a_first ? b.name : a.name)
            : "some results have no timestamp"));
  if (known) say_gap(a, b, out);
}

}  // namespace

bool place_by_time(Side& a, Side& b) {
  std::vector<SideRun*> runs;
  for (auto* side : {&a, &b})
    for (auto& run : side->runs) runs.push_back(&run);
  const bool known = std::all_of(runs.begin(), runs.end(), [](const auto* r) { return r->numbers.time_epoch_ms > 0; });
  if (known)
    std::stable_sort(runs.begin(), runs.end(),
                     [](const auto* x, const auto* y) { return x->numbers.time_epoch_ms < y->numbers.time_epoch_ms; });
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i]->place = static_cast<double>(i);
  return known;
}

namespace {

// What every run of every side has is no difference, but the comparison holds only with it.
void say_warnings_of_all(const std::vector<Side*>& sides, std::vector<std::string>& out) {
  for (const auto& [id, runs] : sides[0]->warnings) {
    const bool of_all = std::all_of(sides.begin(), sides.end(), [&, &of = id](const Side* side) {
      const auto found = side->warnings.find(of);
      return found != side->warnings.end() && found->second == side->runs.size();
    });
    if (of_all) out.push_back(fmt::format("every run has the finding {}: `fathom help finding {}`", id, id));
  }
}

}  // namespace

std::vector<std::string> how_measured(const std::vector<Side*>& sides) {
  std::vector<std::string> out;
  for (std::size_t s = 1; s < sides.size(); ++s) say_order(*sides[0], *sides[s], out);
  const bool single = std::any_of(sides.begin(), sides.end(),
                                  [](const Side* side) { return side->invocations == 1 && side->runs.size() > 1; });
  if (single)
    out.emplace_back(
        "a side has only one invocation: effects that vary between starts (location of files and memory) are part of "
        "the difference, not of the interval");
  std::map<std::string, std::string> notes;
  for (const auto* side : sides)
    for (const auto& note : side->notes) notes[note].append(notes[note].empty() ? "" : ", ").append(side->name);
  for (const auto& [note, of] : notes) out.push_back(fmt::format("{}: {}", of, note));
  say_warnings_of_all(sides, out);
  for (std::size_t s = 1; s < sides.size(); ++s)
    for (const auto& id : sides[s]->ids)
      if (std::find(sides[0]->ids.begin(), sides[0]->ids.end(), id) != sides[0]->ids.end()) {
        out.push_back(fmt::format("{} and {} contain the same result", sides[0]->name, sides[s]->name));
        break;
      }
  return out;
}

}  // namespace fathom::compare
