// What was undone, and in which words it is said.
#include "session/paging_leftovers.h"

#include <fmt/format.h>

#include "paging/learn/observe/damon_sysfs.h"
#include "paging/pressure/pressure.h"

namespace fathom::session {
namespace {

std::string join(const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, ", ")); }

}  // namespace

std::vector<result::Finding> clean_up_stale_state() {
  std::vector<result::Finding> findings;
  for (const auto& left : paging::pressure::clean_up()) {
    if (!left.waiting.empty()) {
      findings.push_back({"paging.leftovers", result::Severity::note, "",
                          fmt::format("run {}, which is over: {}", left.pid, join(left.waiting)), "wait for that run"});
    }
    if (left.undone.empty() && left.failed.empty()) continue;
    findings.push_back({"paging.leftovers", left.failed.empty() ? result::Severity::note : result::Severity::warning,
                        "",
                        fmt::format("run {} {}had left: {}{}{}", left.pid, left.handed_over ? "" : "was killed and ",
                                    join(left.undone), left.failed.empty() ? "" : "; still there: ", join(left.failed)),
                        left.failed.empty() ? "nothing: it is gone" : "`fathom paging cleanup` as root"});
  }
  using Outcome = paging::learn::observe::DamonLeft::Outcome;
  const auto damon = paging::learn::observe::undo_left_damon();
  if (damon.outcome != Outcome::nothing) {
    const bool failed = damon.outcome == Outcome::failed;
    findings.push_back({"paging.leftovers", failed ? result::Severity::warning : result::Severity::note, "", damon.says,
                        failed ? "`fathom paging cleanup` as root" : ""});
  }
  return findings;
}

CleanedUp clean_up_as_asked(bool force) {
  CleanedUp cleaned;
  for (const auto& left : paging::pressure::clean_up(force)) {
    for (const auto& done : left.undone) cleaned.said.push_back(fmt::format("run {}: {}", left.pid, done));
    for (const auto& wait : left.waiting) cleaned.said.push_back(fmt::format("run {}: {}", left.pid, wait));
    for (const auto& still : left.failed)
      cleaned.said.push_back(fmt::format("run {}: not undone: {}", left.pid, still));
    cleaned.failed |= !left.failed.empty();
  }
  const auto damon = paging::learn::observe::undo_left_damon();
  if (!damon.says.empty()) cleaned.said.push_back(damon.says);
  cleaned.failed |= damon.outcome == paging::learn::observe::DamonLeft::Outcome::failed;
  return cleaned;
}

}  // namespace fathom::session
