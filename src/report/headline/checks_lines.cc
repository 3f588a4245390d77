// The end of a verdict: whether the checks passed, the worst finding, and the next step. Also the layout of a verdict's
// lines.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/wrapped.h"
#include "report/headline/verdict_parts.h"
#include "report/headline/words.h"
#include "result/sums/checks.h"

namespace fathom::report::headline {
namespace {

namespace text = base::text;
using result::sums::Area;
using result::sums::Outcome;

std::string_view bytes_text(const result::Run& run) {
  if (!run.audit) return "bytes not audited";
  switch (run.audit->verdict) {
    case result::Verdict::no_witness:
      return "no cross-check of the bytes";
    case result::Verdict::too_short:
      return "too short to audit";
    case result::Verdict::agrees:
      return "bytes agree";
    case result::Verdict::explained:
      return "bytes explained";
    case result::Verdict::disagrees:
      break;
  }
  return "bytes disagree";
}

std::string reporter(const result::Run& run) {
  if (run.paging && run.paging->imported) return run.paging->imported->program;
  return run.program.name + (run.program.version.empty() ? "" : " " + run.program.version);
}

std::string_view failure_text(const result::Run& run) {
  if (has_failed_ios(run)) return "I/Os failed";
  const auto has_failed = [](const result::Job& job) { return job.error_count > 0; };
  if (run.errors.empty() && std::none_of(run.jobs.begin(), run.jobs.end(), has_failed)) return "";
  return run.paging ? "a repetition failed" : "a job failed";
}

// Failures come first, then the number of warnings and errors in each area, then the audit of the bytes.
std::string reasons(const result::Run& run, const result::sums::Checks& checks) {
  constexpr std::string_view kNames[result::sums::kAreas] = {"delivery", "audit", "clock", "machine"};
  std::vector<std::string> areas, out;
  if (checks.repetition > 0) out.push_back(fmt::format("repetition {}", checks.repetition));
  for (std::size_t a = 0; a < result::sums::kAreas; ++a)
    if (checks.counts[a] > 0) areas.push_back(fmt::format("{} {}", kNames[a], checks.counts[a]));
  if (run.interrupted) out.emplace_back("interrupted");
  if (result::sums::is_running(run)) out.emplace_back("the run is not over");
  if (const auto failure = failure_text(run); !failure.empty()) out.emplace_back(failure);
  if (checks.all == Outcome::passed) out.emplace_back("achieved as requested");
  if (!areas.empty()) out.push_back(fmt::format("{}", fmt::join(areas, ", ")));
  if (result::sums::is_reported(run)) {
    out.push_back(fmt::format("reported by {}", reporter(run)));
    return fmt::format("{}", fmt::join(out, "; "));
  }
  // Most paging moves no bytes that another counter sees. So a paging run without an audit has no text about it.
  if (run.audit || !run.paging) {
    const bool first = run.audit && run.audit->verdict == result::Verdict::disagrees;
    out.insert(first ? out.begin() : out.end(), std::string(bytes_text(run)));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

// The worst finding and its help. An error of the run, such as a failed I/O, ranks above a warning.
struct Worst {
  std::string_view word;
  std::string says, id, remedy;
  std::string text() const { return id.empty() ? says : fmt::format("{} [{}]", says, id); }
};

Worst worst_of(const result::Run& run, const result::sums::Checks& b) {
  const bool is_error = b.worst != nullptr && b.worst->severity == result::Severity::error;
  if (!is_error && !run.errors.empty()) {
    const auto& error = run.errors.front();
    const std::string where = error.job.empty() ? "" : error.job + ": ";
    const std::string& what = !error.message.empty() ? error.message : !error.what.empty() ? error.what : error.op;
    return {"error", where + what, "",
            error.remedy.empty() ? "the report lists the failed I/Os and their places" : error.remedy};
  }
  if (b.worst == nullptr) return {};
  const bool is_note = b.worst->severity == result::Severity::note;
  std::string where = b.worst_of.empty() ? "" : b.worst_of + ": ";
  if (b.repetition > 0) where = fmt::format("repetition {}: {}", b.repetition, where);
  return {result::name(b.worst->severity), where + b.worst->evidence, b.worst->id, is_note ? "" : b.worst->remedy};
}

std::string next(const result::Run& run, const Worst& worst, bool repeated) {
  if (!worst.remedy.empty()) return worst.remedy;
  if (result::sums::is_reported(run))
    return fmt::format("measure with `fathom {}` to have the result checked", run.paging ? "paging" : "run");
  if (!repeated) return "--repeat=5 shows how much runs differ";
  return "`fathom compare` compares this result with another";
}

}  // namespace

std::string outcome_text(const result::sums::Checks& checks) {
  if (checks.all == Outcome::passed) return std::string(kPassed);
  if (checks.all == Outcome::failed) return std::string(kFailed);
  if (checks.all == Outcome::not_checked) return "not checked";
  return fmt::format("{} warning{}", checks.warnings, checks.warnings == 1 ? "" : "s");
}

bool has_failed_ios(const result::Run& run) {
  const auto is_io = [](const result::IoError& error) { return error.op != "setup" && error.op != "job"; };
  const auto has_some = [](const result::Job& job) {
    return job.first_io_error != 0 ||
           std::any_of(job.dirs.begin(), job.dirs.end(), [](const auto& dir) { return dir.error_ios > 0; });
  };
  return std::any_of(run.errors.begin(), run.errors.end(), is_io) ||
         std::any_of(run.jobs.begin(), run.jobs.end(), has_some);
}

std::string Lines::one(std::string_view word, std::string_view says) const {
  constexpr std::string_view kCut = "...";
  const std::string out = fmt::format("  {:<9}{}", word, says);
  if (text::columns_of(out) <= columns) return out + "\n";
  return fmt::format("{}{}\n", text::cut_at(out, columns - kCut.size()), kCut);
}

std::string Lines::whole(std::string_view word, std::string_view says) const {
  return text::wrapped(fmt::format("  {:<9}{}", word, says), columns) + "\n";
}

std::string time_text(double ns) { return text::unit_text(ns, text::kTimeLive); }

std::string range_text(double low, double high, std::span<const base::text::UnitStep> scale) {
  std::string from = text::unit_text(low, scale);
  const std::string to = text::unit_text(high, scale);
  const auto unit = to.rfind(' ');
  if (unit != std::string::npos && from.ends_with(to.substr(unit))) from.resize(from.size() - (to.size() - unit));
  return from + "-" + to;
}

std::string checks_lines(const result::Run& run, const Lines& lines, bool repeated,
                         std::span<const result::Run> repetitions) {
  const auto checks = result::sums::checks_of(run, repetitions);
  const auto worst = worst_of(run, checks);
  std::string out = lines.whole(kChecks, fmt::format("{}: {}", outcome_text(checks), reasons(run, checks)));
  if (!worst.says.empty()) out += lines.whole(worst.word, worst.text());
  return out + lines.whole("next", next(run, worst, repeated));
}

void add_checks(const result::Run& run, bool repeated, std::span<const result::Run> repetitions, Pieces& pieces) {
  const auto checks = result::sums::checks_of(run, repetitions);
  auto worst = worst_of(run, checks);
  pieces.outcome = checks.all;
  pieces.checks = outcome_text(checks), pieces.reasons = reasons(run, checks);
  pieces.next = next(run, worst, repeated);
  pieces.word = worst.word, pieces.evidence = std::move(worst.says), pieces.id = std::move(worst.id);
}

}  // namespace fathom::report::headline
