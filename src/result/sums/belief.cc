// A finding's aspect is known by the first word of its id; what is in no row is of the machine.
#include "result/sums/belief.h"

#include <algorithm>
#include <string_view>

namespace fathom::result::sums {
namespace {

struct Row {
  std::string_view begin;
  Aspect aspect;
};
constexpr Row kRows[] = {
    {"delivery.", Aspect::delivery}, {"rate.", Aspect::delivery},   {"run.", Aspect::delivery},
    {"option.", Aspect::delivery},   {"engine.", Aspect::delivery}, {"verify.", Aspect::delivery},
    {"audit.", Aspect::audit},       {"link.", Aspect::audit},      {"breakdown.", Aspect::audit},
    {"watching.", Aspect::audit},    {"clock.", Aspect::clock},     {"stamps.", Aspect::clock},
};

Belief belief_of(Severity severity) {
  return severity == Severity::error ? Belief::no : severity == Severity::warning ? Belief::with_care : Belief::yes;
}

void doubt(Believed& b, Aspect aspect, Belief belief) {
  auto& of = b.of[static_cast<std::size_t>(aspect)];
  of = std::max(of, belief);
  b.all = std::max(b.all, belief);
}

}  // namespace

Aspect aspect_of(const Finding& finding) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                [&](const Row& each) { return finding.id.starts_with(each.begin); });
  return row == std::end(kRows) ? Aspect::machine : row->aspect;
}

Believed believed(const Run& run) {
  Believed b;
  for (const auto& finding : run.findings) {
    const Aspect aspect = aspect_of(finding);
    const Belief belief = belief_of(finding.severity);
    doubt(b, aspect, belief);
    if (belief != Belief::yes) ++b.doubts[static_cast<std::size_t>(aspect)];
    if (b.worst == nullptr || b.worst->severity < finding.severity) b.worst = &finding;
  }
  if (run.audit && run.audit->verdict == Verdict::disagrees) doubt(b, Aspect::audit, Belief::no);
  const bool failed = std::any_of(run.jobs.begin(), run.jobs.end(), [](const Job& job) { return job.error_count > 0; });
  if (failed || !run.errors.empty() || run.interrupted)
    doubt(b, Aspect::delivery, failed ? Belief::no : Belief::with_care);
  return b;
}

}  // namespace fathom::result::sums
