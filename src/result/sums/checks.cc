// The first word of a finding's id determines its area. An id without a row belongs to the machine.
#include "result/sums/checks.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace fathom::result::sums {
namespace {

struct Row {
  std::string_view begin;
  Area area;
};
constexpr Row kRows[] = {
    {"delivery.", Area::delivery}, {"rate.", Area::delivery},   {"run.", Area::delivery}, {"option.", Area::delivery},
    {"engine.", Area::delivery},   {"verify.", Area::delivery}, {"audit.", Area::audit},  {"link.", Area::audit},
    {"breakdown.", Area::audit},   {"watching.", Area::audit},  {"import.", Area::audit}, {"clock.", Area::clock},
    {"stamps.", Area::clock},
};

Outcome outcome_of(Severity severity) {
  return severity == Severity::error     ? Outcome::failed
         : severity == Severity::warning ? Outcome::warnings
                                         : Outcome::passed;
}

// From 0 (no effect on the numbers) to 1. An unknown effect has a weight between a small and a large effect.
double weight(const Finding& finding) {
  constexpr double kNotKnown = 0.1;
  if (!finding.effect) return kNotKnown;
  const double value = std::max(finding.effect->value, 0.0);
  return finding.effect->on == EffectOn::latency ? value / (1 + value) : std::min(value, 1.0);
}

// Among effects of about the same size, an effect on bytes ranks higher: another thing was measured.
double rank(const Finding& finding) {
  constexpr double kSteps = 20;
  const double of_bytes = finding.effect && finding.effect->on == EffectOn::bytes ? 0.5 : 0;
  return std::round(kSteps * weight(finding)) + of_bytes;
}

// True if the finding decided the outcome. If bytes disagree, the audit has a verdict, and there is a finding for each
// counter.
bool decided(const Checks& c, const Finding& finding) {
  const auto by = [&](std::string_view id) {
    return std::find(c.decided_by.begin(), c.decided_by.end(), id) != c.decided_by.end();
  };
  return by(finding.id) || (by("audit") && finding.id == "audit.disagrees");
}

// If a cause is about as large as its effect, it is shown first: only the help of the cause solves the problem.
struct Cause {
  std::string_view cause, effect;
};
constexpr Cause kCauses[] = {
    {"run.stopped", "rate.not_kept"}, {"run.stopped", "rate.late"},
    {"run.stopped", "run.two_modes"}, {"run.stopped", "run.changed"},
    {"io.limit", "run.changed"},      {"io.limit", "rate.not_kept"},
    {"io.limit", "rate.late"},        {"cpu.max", "cpu.wait"},
    {"cpu.max", "rate.not_kept"},     {"cpu.max", "rate.late"},
    {"cpu.wait", "rate.late"},        {"cpu.wait", "rate.not_kept"},
    {"cpu.max", "delivery.depth"},    {"cpu.wait", "delivery.depth"},
    {"cpu.wait", "run.two_modes"},    {"delivery.direct_ignored", "delivery.depth"},
};

bool explains(const Finding& cause, const Finding& effect) {
  constexpr double kAboutAsLarge = 0.75;
  const bool can = std::any_of(std::begin(kCauses), std::end(kCauses),
                               [&](const Cause& row) { return row.cause == cause.id && row.effect == effect.id; });
  return can && weight(cause) >= kAboutAsLarge * weight(effect);
}

bool is_worse(const Checks& c, const Finding& one, const Finding& than) {
  if (decided(c, one) != decided(c, than)) return decided(c, one);
  if (one.severity != than.severity) return one.severity > than.severity;
  if (explains(one, than) || explains(than, one)) return explains(one, than);
  return rank(one) > rank(than);
}

struct Reason {
  std::string id;
  Area area;
  Outcome outcome;
};

// Reasons in other parts of the result than its findings.
std::vector<Reason> reasons_beside_findings(const Run& run) {
  std::vector<Reason> reasons;
  if (is_reported(run)) reasons.push_back({"import", Area::audit, Outcome::not_checked});
  if (is_running(run)) reasons.push_back({"running", Area::delivery, Outcome::not_checked});
  const bool failed = std::any_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) { return job.error_count > 0; });
  if (run.audit && run.audit->verdict == Verdict::disagrees) reasons.push_back({"audit", Area::audit, Outcome::failed});
  if (run.interrupted) reasons.push_back({"interrupted", Area::delivery, Outcome::warnings});
  if (failed || !run.errors.empty())
    reasons.push_back({"errors", Area::delivery, failed ? Outcome::failed : Outcome::warnings});
  return reasons;
}

}  // namespace

Area area_of(const Finding& finding) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return finding.id.starts_with(each.begin); });
  return row == std::end(kRows) ? Area::machine : row->area;
}

std::vector<SameFindings> ranked_findings(const Run& run) {
  auto all = same_findings(run.findings);
  const auto* const worst = checks_of(run).worst;
  std::stable_sort(all.begin(), all.end(), [&](const SameFindings& one, const SameFindings& than) {
    if ((one.first == worst) != (than.first == worst)) return one.first == worst;
    if (one.first->severity != than.first->severity) return one.first->severity > than.first->severity;
    return rank(*one.first) > rank(*than.first);
  });
  return all;
}

bool is_reported(const Run& run) { return run.program.name == "fio" || (run.paging && run.paging->imported); }

bool is_running(const Run& run) {
  return std::any_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) { return job.running; });
}

Checks checks_of(const Run& run) {
  Checks c;
  auto reasons = reasons_beside_findings(run);
  const auto findings = same_findings(run.findings);
  for (const auto& [first, jobs] : findings) {
    const auto& finding = *first;
    if (finding.severity == Severity::note) continue;
    const Area area = area_of(finding);
    ++c.counts[static_cast<std::size_t>(area)];
    reasons.push_back({finding.id, area, outcome_of(finding.severity)});
  }
  for (const auto& reason : reasons) {
    auto& of = c.of[static_cast<std::size_t>(reason.area)];
    of = std::max(of, reason.outcome);
    c.all = std::max(c.all, reason.outcome);
    c.warnings += reason.outcome == Outcome::warnings;
  }
  for (auto& reason : reasons)
    if (reason.outcome == c.all && std::find(c.decided_by.begin(), c.decided_by.end(), reason.id) == c.decided_by.end())
      c.decided_by.push_back(std::move(reason.id));
  for (const auto& [finding, jobs] : findings)
    if (c.worst == nullptr || is_worse(c, *finding, *c.worst)) c.worst = finding, c.worst_of = jobs_text(jobs);
  return c;
}

Checks checks_of(const Run& run, std::span<const Run> repetitions) {
  auto shown = checks_of(run);
  if (shown.all == Outcome::failed) return shown;
  const auto severer = [](const Checks& one, const Checks& than) {
    if (one.all != than.all) return one.all > than.all;
    return one.worst != nullptr && than.worst != nullptr && one.worst->id != than.worst->id &&
           one.worst->severity >= than.worst->severity && rank(*one.worst) > rank(*than.worst);
  };
  for (std::size_t i = 0; i < repetitions.size(); ++i) {
    auto one = checks_of(repetitions[i]);
    if (one.all < Outcome::warnings || !severer(one, shown)) continue;
    one.decided_by = {"repetitions"};
    one.repetition = i + 1;
    shown = std::move(one);
    if (shown.all == Outcome::failed) break;
  }
  return shown;
}

bool has_failed(const Run& run) { return checks_of(run, run.repetitions).all == Outcome::failed; }

}  // namespace fathom::result::sums
