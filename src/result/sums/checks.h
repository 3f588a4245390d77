// Whether the checks of a run passed, out of its findings, each of one of four areas: what was requested was achieved,
// other counters saw the same bytes, the clock is sound, machine and program were fit. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "result/result.h"

namespace fathom::result::sums {

enum class Outcome { passed, not_checked, warnings, failed };  // rising
enum class Area { delivery, audit, clock, machine };
inline constexpr std::size_t kAreas = 4;

constexpr std::string_view name(Outcome outcome) {
  constexpr std::string_view names[] = {"passed", "not_checked", "warnings", "failed"};
  return names[static_cast<std::size_t>(outcome)];
}

struct Checks {
  Outcome all = Outcome::passed;
  std::array<Outcome, kAreas> of{};       // of each area alone
  std::array<unsigned, kAreas> counts{};  // its warnings and errors, one of several jobs once
  unsigned warnings = 0;                  // of all areas; a run that was interrupted or had failed I/Os is one each
  // Of `run`: of those that decided, or of all where none did, the most severe, then the one of the largest effect;
  // none: no finding.
  const Finding* worst = nullptr;
  std::string worst_of;  // whose jobs' it is; empty: the whole run's
  // What decided: ids of findings; "interrupted", "errors", "running" and "audit" are those parts of the result.
  std::vector<std::string> decided_by;
  std::size_t repetition = 0;  // from 1; 0: what is shown decided
};

Area area_of(const Finding& finding);
// Another program measured it: of what it reports nothing was checked.
bool is_reported(const Run& run);
// A report in mid-run: the checks of a run are made at its end.
bool is_running(const Run& run);
// What another program reports, and a report in mid-run: at best not checked. An error, a failed job or a cross-check that disagrees: failed. A warning, or a run that was interrupted: warnings.
Checks checks_of(const Run& run);
// The same with the repetitions that are not shown: one that failed, or has a larger warning, decides. `worst` is that
// repetition's then.
Checks checks_of(const Run& run, std::span<const Run> repetitions);
// Of the run or of one of its repetitions.
bool has_failed(const Run& run);

}  // namespace fathom::result::sums
