// Repetitions. The median one is reported in full, and all are stored. A few numbers of each are in rows, with an
// interval. A repetition that the kernel ended early is stored and reported, but not part of the means.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "audit/paging/paging_checks.h"
#include "result/findings/rows.h"
#include "session/paging_run.h"
#include "stats/percentiles.h"
#include "stats/repeat.h"

namespace fathom::session {
namespace {

result::RepeatedMetric over(std::string direction, std::string metric, std::string unit, std::vector<double> values) {
  const auto s = stats::summarize(values);
  return {"",       std::move(direction), std::move(metric), std::move(unit), std::move(values), s.mean, s.stddev,
          s.median, s.ci95_low,           s.ci95_high};
}

struct Metric {
  const char* name;
  double (*of)(const result::AccessLatency&);
};
constexpr Metric kMetrics[] = {
    {"mean", [](const result::AccessLatency& l) { return l.moments_ns.mean(); }},
    {"p50",
     [](const result::AccessLatency& l) {
       return static_cast<double>(stats::percentile_within(l.histogram_ns, l.moments_ns, 50));
     }},
    {"p99",
     [](const result::AccessLatency& l) {
       return static_cast<double>(stats::percentile_within(l.histogram_ns, l.moments_ns, 99));
     }},
};

std::vector<result::RepeatedMetric> side_by_side(const std::vector<result::Run>& runs) {
  std::vector<result::RepeatedMetric> out;
  const auto each = [&](auto value) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const auto& run : runs) values.push_back(value(*run.paging));
    return values;
  };
  out.push_back(
      over("", "accesses_per_s", "1/s", each([](const result::Paging& p) { return p.score.accesses_per_s; })));
  for (std::size_t c = 0; c < result::kAccessClasses; ++c) {
    for (std::size_t d = 0; d < result::kAccessDirs; ++d) {
      const bool used = std::all_of(runs.begin(), runs.end(),
                                    [&](const auto& r) { return r.paging->latency[c][d].moments_ns.n > 0; });
      if (!used) continue;
      for (const auto& metric : kMetrics)
        out.push_back(over(name(static_cast<result::AccessDir>(d)),
                           std::string(name(static_cast<result::AccessClass>(c))) + "_" + metric.name, "ns",
                           each([&](const result::Paging& p) { return metric.of(p.latency[c][d]); })));
    }
  }
  return out;
}

// Indexes of the repetitions in the means: those that ran to their end, or else all.
std::vector<std::size_t> whole_ones(const std::vector<result::Run>& runs) {
  std::vector<std::size_t> whole;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (ran_to_its_end(runs[i])) whole.push_back(i);
  if (whole.empty()) {
    whole.resize(runs.size());
    std::iota(whole.begin(), whole.end(), std::size_t{0});
  }
  return whole;
}

std::string number_of(std::size_t i) { return "repetition " + std::to_string(i + 1); }

// Adds errors of the other repetitions, and warnings that the shown one lacks. All have the number of their repetition,
// and so have errors of the shown one.
void gather_findings(const std::vector<result::Run>& runs, std::size_t shown_number, result::Run& shown) {
  for (auto& finding : shown.findings)
    if (finding.severity == result::Severity::error) finding.job = number_of(shown_number);
  const auto known = shown.findings;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (i == shown_number) continue;
    std::vector<result::Finding> doubts;
    for (const auto& finding : runs[i].findings) {
      const bool error = finding.severity == result::Severity::error;
      const bool there = std::any_of(known.begin(), known.end(), [&](const auto& k) { return k.id == finding.id; });
      if (error || (finding.severity == result::Severity::warning && !there)) doubts.push_back(finding);
    }
    add_findings(shown.findings, doubts, number_of(i));
  }
}

}  // namespace

paging_job::Request repetition_of(const paging_job::Request& options, unsigned i) {
  paging_job::Request one = options;
  one.plan.pattern.seed += i;
  one.plan.region.seed += i;
  return one;
}

result::IoError failed_repetition(const std::string& which, const base::Error& error) {
  result::IoError failed;
  failed.err = error.sys_errno;
  failed.op = "setup";
  failed.job = which;
  failed.what = error.what;
  failed.cause = error.cause;
  failed.remedy = error.help;
  failed.message = which + ": ";
  if (error.place) {
    failed.place = result::Place{error.place->file, error.place->line, error.place->column};
    failed.message += fmt::format("{}:{}:{}: ", error.place->file, error.place->line, error.place->column);
  }
  failed.message += error.what + (error.cause.empty() ? "" : ": " + error.cause);
  return failed;
}

result::Finding finding_of(const result::IoError& failed) {
  return result::findings::found("paging.repetition_failed",
                                 {.values = {{"failure", failed.message}, {"help", failed.remedy}}});
}

bool ran_to_its_end(const result::Run& run) {
  const auto& workers = run.paging->workers;
  return std::all_of(workers.begin(), workers.end(), [](const auto& w) { return w.error == 0; });
}

void add_findings(std::vector<result::Finding>& to, const std::vector<result::Finding>& from,
                  const std::string& whose) {
  for (auto finding : from) {
    finding.job = whose;
    const bool error = finding.severity == result::Severity::error;
    const auto same = [&](const auto& f) {
      return f.id == finding.id && f.job == whose && (!error || f.evidence == finding.evidence);
    };
    if (std::none_of(to.begin(), to.end(), same)) to.push_back(std::move(finding));
  }
}

result::Run summarize_paging(std::vector<result::Run> runs) {
  if (runs.size() == 1) return std::move(runs[0]);
  auto order = whole_ones(runs);
  std::vector<result::Run> whole;
  std::vector<result::Paging> measured;
  for (const auto i : order) {
    whole.push_back(runs[i]);
    measured.push_back(*runs[i].paging);
  }
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return runs[a].paging->score.accesses_per_s < runs[b].paging->score.accesses_per_s;
  });
  const std::size_t middle = order[(order.size() - 1) / 2];
  result::Run shown = runs[middle];
  gather_findings(runs, middle, shown);
  shown.paging->score = audit::paging::paging_score(measured);
  if (whole.size() > 1) shown.repeated = side_by_side(whole);
  shown.repetitions = std::move(runs);
  return shown;
}

base::Expected<result::Run> measure_repeated(const paging_job::Request& options, PagingSession& session) {
  std::vector<result::Run> runs;
  std::optional<result::IoError> failed;
  for (unsigned i = 0; i < options.repeat && (i == 0 || session.stop.load() == 0); ++i) {
    auto run = measure_once(repetition_of(options, i), session,
                            options.repeat > 1 ? fmt::format("{} of {}: ", i + 1, options.repeat) : "");
    if (!run && runs.empty()) return run.error();
    if (!run && is_interruption(run.error())) break;
    if (!run) {  // earlier repetitions are reported
      session.listener.on_error(run.error());
      failed = failed_repetition(fmt::format("repetition {}", i + 1), run.error());
      break;
    }
    runs.push_back(std::move(*run));
  }
  // An interrupted repetition is dropped, unless it is the only one.
  const bool interrupted = session.stop.load() > 0;
  if (runs.size() > 1 && runs.back().interrupted) runs.pop_back();
  auto shown = summarize_paging(std::move(runs));
  shown.interrupted = interrupted;
  if (failed) {
    shown.findings.insert(shown.findings.begin(), finding_of(*failed));
    shown.errors.push_back(std::move(*failed));
  }
  return shown;
}

}  // namespace fathom::session
