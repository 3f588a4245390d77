// Setting up beside what a repetition before could not take off, as others have pages in it: the same that is asked for
// again is used again; another is a finding, since it has the highest priority too and takes its part of the pages.
#include <fmt/format.h>

#include <algorithm>

#include "base/unit_text.h"
#include "paging/pressure/own_swap.h"
#include "paging/pressure/setup.h"

namespace fathom::paging {
namespace {

std::string used_words(const ActiveSwap& swap) {
  return fmt::format("{} ({} of {} used)", swap.path, base::size_words(swap.used_bytes),
                     base::size_words(swap.size_bytes));
}

}  // namespace

std::optional<ActiveSwap> Setup::swap_again() {
  if (!machine_.administrator()) return std::nullopt;
  const std::string wanted = asked_words(plan_.swap);
  for (OwnSwap& own : own_swaps_on(machine_, journal_.written()))
    if (own.asked == wanted) return std::move(own.swap);
  return std::nullopt;
}

base::Expected<void> Setup::use_again(const ActiveSwap& swap) {
  made_.swap_path = swap.path;
  findings_.push_back({"paging.swap_taken_again", result::Severity::note, "",
                       used_words(swap) + ": of a repetition before, on still as others have pages in it",
                       "one run under pressure at a time: there is less room in it, and its device serves both"});
  return {};
}

void Setup::take_own_left(std::vector<ActiveSwap>& others) {
  if (!machine_.administrator()) return;
  std::string names;
  for (const OwnSwap& own : own_swaps_on(machine_, journal_.written())) {
    const auto is_it = [&](const ActiveSwap& swap) { return swap.path == own.swap.path; };
    if (std::erase_if(others, is_it) > 0) names += (names.empty() ? "" : ", ") + used_words(own.swap);
  }
  if (names.empty() || plan_.swap.kind == SwapPlan::Kind::none) return;
  findings_.push_back({"paging.own_swap_left", result::Severity::warning, "",
                       "swap that this run had made for another of its measurements is on still, as others have pages "
                       "in it: " +
                           names + "; pages went there too, so this is of no single device",
                       "measure it again when no other run is there"});
}

base::Expected<void> Setup::check_own_left(const std::string& path) {
  for (const OwnSwap& own : own_swaps_on(machine_, journal_.written())) {
    if (own.swap.path != path) continue;
    return base::Error{base::ErrorKind::refused,
                       path + ": is on still, of another size",
                       "this run had made it, and others have pages in it",
                       "wait for the other run, or give each swap a file of its own",
                       {},
                       0};
  }
  return {};
}

}  // namespace fathom::paging
