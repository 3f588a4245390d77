// The verdict of a cross-core test, as a word and as a sentence.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <cmath>

#include "base/text/unit_text.h"
#include "clock/cores/cross_core.h"

namespace fathom::clock::cores {
namespace {

// Rounded up, so that the text claims no finer detection than there was.
std::string span(double ticks, double ticks_per_second) {
  if (ticks_per_second <= 0) return fmt::format("{:.0f} ticks", std::ceil(ticks));
  return base::text::unit_text(ticks * 1e9 / ticks_per_second, base::text::kTimeAtMost);
}

std::string passed_text(const Findings& f, double hz) {
  if (f.cpus.size() == 1)
    return fmt::format(
        "the counter of CPU {} never ran backwards in {} readings; with one CPU no comparison is possible",
        f.cpus[0].cpu, f.entries);
  std::string out = fmt::format(
      "time never ran backwards in {} readings on {} CPUs; an offset of {} or more between two of them would have "
      "shown",
      f.entries, f.cpus.size(), span(static_cast<double>(f.detectable), hz));
  if (f.pairs_met < f.pairs.size())
    out += fmt::format(" ({} of {} pairs never followed each other and were compared through other CPUs)",
                       f.pairs.size() - f.pairs_met, f.pairs.size());
  return out;
}

// The relation between the two CPUs of the worst pair.
std::string pair_text(const Pair& p, double hz) {
  switch (p.steadiness) {
    case Steadiness::steady:
      return fmt::format("CPU {} is {} ± {} {} CPU {}", p.b, span(p.offset < 0 ? -p.offset : p.offset, hz),
                         span(p.offset_bound, hz), p.offset < 0 ? "behind" : "ahead of", p.a);
    case Steadiness::drifts:
      return fmt::format("CPU {} drifts against CPU {} by {:+.0f} to {:+.0f} ppm", p.b, p.a, p.drift.low_ppm,
                         p.drift.high_ppm);
    case Steadiness::unsteady:
      return fmt::format(
          "neither one offset nor one rate between CPU {} and CPU {} explains it: a counter jumped, or this barrier "
          "lets "
          "it be read out of order",
          p.a, p.b);
    case Steadiness::unknown:
      break;
  }
  return fmt::format("CPU {} and CPU {} disagree", p.a, p.b);
}

std::string blame_text(const Findings& f) {
  if (f.cpus.size() == 2) return "with two CPUs, the faulty one cannot be identified";
  if (f.at_fault.empty()) return "no single CPU disagrees with the others: the faulty one cannot be identified";
  return fmt::format("at fault: CPU {}, which disagree{} with the others while the others agree",
                     fmt::join(f.at_fault, ", "), f.at_fault.size() == 1 ? "s" : "");
}

std::string failed_text(const Findings& f, double hz) {
  std::string out = fmt::format("time ran backwards {} times in {} readings, by up to {}", f.mismatches, f.entries,
                                span(static_cast<double>(f.largest_backward), hz));
  for (const auto& c : f.cpus)
    if (c.backward != 0) out += fmt::format("; CPU {} {} times against itself", c.cpu, c.backward);
  const auto worst = std::max_element(f.pairs.begin(), f.pairs.end(),
                                      [](const Pair& x, const Pair& y) { return x.mismatches() < y.mismatches(); });
  if (worst != f.pairs.end() && worst->mismatches() != 0) out += "; " + pair_text(*worst, hz) + "; " + blame_text(f);
  return out;
}

// The CPUs that were too busy for a comparison. Without a start, these are the CPUs without their thread. Otherwise,
// these are the CPUs with too few hand-overs in either direction.
std::vector<unsigned> busy_cpus(const TestRun& run) {
  if (!run.started) return run.late;
  std::vector<unsigned> busy;
  for (const auto& c : run.findings.cpus)
    if (std::min(c.handed_in, c.handed_out) < kFewestHandOvers) busy.push_back(c.cpu);
  return busy;
}

// Examples: "CPU 3", "CPUs 0, 2 and 14 more".
std::string named(const std::vector<unsigned>& cpus) {
  constexpr std::size_t kMost = 8;
  const std::size_t most = std::min(cpus.size(), kMost);
  std::string out = fmt::format("CPU{} {}", cpus.size() == 1 ? "" : "s", fmt::join(std::span(cpus).first(most), ", "));
  return cpus.size() > most ? out + fmt::format(" and {} more", cpus.size() - most) : out;
}

// States why there is no result, and what to do. A test without a time limit waits for its CPUs.
std::string not_tested_text(const TestRun& run) {
  const auto busy = busy_cpus(run);
  std::string out = busy.empty() ? "the CPUs" : named(busy);
  out += run.started ? " hardly ran at the same time" : " did not run";
  if (run.started && busy.size() < run.findings.cpus.size() && !busy.empty()) out += " as the others";
  if (run.max_ns > 0) out += fmt::format(" in the {:.3g} ms of the short test", static_cast<double>(run.max_ns) / 1e6);
  out += fmt::format(": other programs keep {} busy; end those, or ", busy.size() == 1 ? "it" : "them");
  return out + (run.max_ns > 0
                    ? "run the long test, which waits: `fathom clock test`; its verdict is stored for this boot"
                    : "omit these CPUs (`fathom clock test --cpus=`)");
}

}  // namespace

Outcome outcome_of(const TestRun& run) {
  const Findings& f = run.findings;
  if (f.mismatches != 0) return Outcome::failed;
  if (!run.started || f.entries == 0) return Outcome::not_tested;
  if (f.cpus.size() > 1 && (f.fewest_hand_overs < kFewestHandOvers || f.detectable == 0)) return Outcome::not_tested;
  return Outcome::passed;
}

std::string text_of(const TestRun& run, double ticks_per_second) {
  switch (outcome_of(run)) {
    case Outcome::passed:
      return passed_text(run.findings, ticks_per_second);
    case Outcome::failed:
      return failed_text(run.findings, ticks_per_second);
    case Outcome::not_tested:
      break;
  }
  return not_tested_text(run);
}

TestSummary summarize(const TestRun& run, const TestOptions& options, double ticks_per_second) {
  TestSummary s;
  s.outcome = outcome_of(run);
  s.kind = options.entries_per_cpu >= full_entries(options.cpus.size()) && options.max_ns == 0 ? TestKind::full
                                                                                               : TestKind::brief;
  s.cpus = options.cpus;
  s.entries_per_cpu = options.entries_per_cpu;
  s.mismatches = run.findings.mismatches;
  s.largest_backward_ticks = run.findings.largest_backward;
  s.detectable_ticks = run.findings.detectable;
  s.took_ns = run.took_ns;
  s.text = text_of(run, ticks_per_second);
  return s;
}

namespace {

TestSummary tested(const TestOptions& options) {
  const auto run = run_test(options);
  if (run) return summarize(*run, options);
  TestSummary s;
  s.cpus = options.cpus;
  s.text = run.error().what;
  return s;
}

// With the privilege for it, other programs on these CPUs wait during a brief test, a fraction of a millisecond.
// Otherwise the test competes with them. The test's threads inherit the policy.
class AheadOfOthers {
 public:
  AheadOfOthers() : policy_(::sched_getscheduler(0)) {
    const sched_param lowest{1};
    changed_ =
        policy_ == SCHED_OTHER && ::sched_getparam(0, &was_) == 0 && ::sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
  }
  ~AheadOfOthers() {
    if (changed_) ::sched_setscheduler(0, policy_, &was_);
  }
  AheadOfOthers(const AheadOfOthers&) = delete;

 private:
  int policy_;
  sched_param was_{};
  bool changed_ = false;
};

// A brief test starts at most this many threads, spread over the list: starting a thread costs some 50 us.
constexpr std::size_t kMostBriefCpus = 64;

std::vector<unsigned> spread(std::span<const unsigned> cpus, std::size_t most) {
  if (cpus.size() <= most) return {cpus.begin(), cpus.end()};
  std::vector<unsigned> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(cpus[i * cpus.size() / most]);
  return chosen;
}

}  // namespace

TestSummary brief_test(std::span<const unsigned> cpus, std::uint64_t max_ns) {
  TestOptions options;
  options.cpus = spread(cpus, kMostBriefCpus);
  options.entries_per_cpu = kBriefEntries;
  options.max_ns = max_ns / 5 * 4;  // the rest is for ending the threads
  const AheadOfOthers ahead;
  return tested(options);
}

TestSummary full_test(std::span<const unsigned> cpus) {
  TestOptions options;
  options.cpus.assign(cpus.begin(), cpus.end());
  options.entries_per_cpu = full_entries(cpus.size());
  return tested(options);
}

}  // namespace fathom::clock::cores
