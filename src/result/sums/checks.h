// Decides whether the checks of a run passed. Each of its findings is in one of four areas: requested load achieved,
// other counters saw the same bytes, sound clock, fit machine and program. Pure.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "result/result.h"
#include "result/sums/same_findings.h"

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
  std::array<unsigned, kAreas> counts{};  // its warnings and errors; the same one of several jobs counts once
  unsigned warnings = 0;                  // of all areas; interruption adds one, and so do errors that failed no job
  // Worst finding of `run`: of those that decided, or of all if none decided. It is the most severe one, and of these
  // the one with the largest effect. nullptr: no finding.
  const Finding* worst = nullptr;
  std::string worst_of;  // its jobs; empty: the whole run
  // Reasons for the outcome: ids of findings; "interrupted", "errors", "running", "audit", "import" and "repetitions"
  // stand for those parts of the result.
  std::vector<std::string> decided_by;
  std::size_t repetition = 0;  // from 1; 0: the shown run decided
};

Area area_of(const Finding& finding);
// The run's findings, the same one of several jobs once: the worst of checks_of() first, then the most severe, and of
// these the one with the largest effect.
std::vector<SameFindings> ranked_findings(const Run& run);
// True: another program measured it; nothing in its report was checked.
bool is_reported(const Run& run);
// True: a report in mid-run; the checks of a run are made at its end.
bool is_running(const Run& run);
// A report of another program, or in mid-run: not_checked at best. An error, a failed job or a cross-check that
// disagrees: failed. A warning, or an interrupted run: warnings.
Checks checks_of(const Run& run);
// The same, with the repetitions that are not shown: a repetition that failed, or has a larger warning, decides.
// `worst` is then a finding of that repetition.
Checks checks_of(const Run& run, std::span<const Run> repetitions);
// True if the run or one of its repetitions failed.
bool has_failed(const Run& run);

}  // namespace fathom::result::sums
