// Findings of the audit: counters that disagree, I/O of other processes on the disk, a lost cross-check, and the PCIe
// link.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "audit/checks.h"
#include "audit/job_view.h"
#include "audit/run_findings.h"
#include "audit/text.h"
#include "result/findings/rows.h"
#include "result/measured.h"

namespace fathom::audit {
namespace {

using result::Effect;
using result::EffectOn;
using result::Severity;
using result::Verdict;
using result::findings::Found;
using result::findings::found;

// The diagnosis "unit_error_up" has the same texts as "unit_error".
constexpr std::string_view kVariants[] = {"unit_error",   "wrong_port", "missing_io",
                                          "engine_count", "foreign_io", "aliased"};
std::string_view variant_of(const result::AuditWitness& w) {
  const std::string_view diagnosis = w.diagnosis;
  if (diagnosis == "missing_io" && w.direction == "write") return "missing_writes";
  if (diagnosis.starts_with("unit_error") && w.source != "pcie_pmu") return "kernel_unit_error";
  for (const auto variant : kVariants)
    if (diagnosis.starts_with(variant)) return variant;
  return "";
}

std::string name_of(const result::AuditWitness& w) {
  return fmt::format("{} {}{}{}", w.source, w.subject, w.direction.empty() ? "" : " ", w.direction);
}

Found of(const result::AuditWitness& w, std::string_view variant = "") {
  const double expected = w.expected_bytes, difference = std::abs(w.seen_bytes - expected);
  return {.variant = variant,
          .values = {{"witness", name_of(w)},
                     {"diagnosis", w.diagnosis},
                     {"expected_bytes", expected},
                     {"seen_bytes", w.seen_bytes},
                     {"difference", percent_text(w.seen_bytes, expected)},
                     {"cause", w.cause}},
          .effect = expected > 0 ? std::optional(Effect{EffectOn::bytes, difference / expected}) : std::nullopt};
}

// Traffic of other processes at a port affects every latency if it is a visible part of the total. On a disk, their
// traffic is listed separately.
bool disturbing(const result::AuditWitness& w) {
  if (w.source == "block" || w.source == "below" || w.source == "members") return false;
  double foreign_bytes = 0;
  for (const auto& term : w.explained)
    if (term.name.starts_with("others")) foreign_bytes += term.bytes;
  return foreign_bytes > kForeignShare * w.expected_bytes;
}

bool is_no_device(double share) { return share >= kNoDeviceShare; }

// If a lower layer did not see I/Os, a layer in between served them, regardless of the job's options. If the job wrote
// through its page cache, missing writes below are expected.
void check_below(const result::AuditWitness& w, bool cached, Findings& out) {
  if (w.source != "below" && w.source != "members") return;
  if (w.direction == "write" && w.diagnosis == "write_back" && !cached &&
      w.expected_bytes - w.seen_bytes > kForeignShare * w.expected_bytes)
    out.push_back(found("audit.below", of(w, "write_back")));
  if (w.direction != "read") return;
  const double missing = w.expected_bytes - w.seen_bytes;
  for (const std::string_view diagnosis : {"page_cache", "holes", "not_passed_on"})
    if (w.diagnosis == diagnosis && missing > kForeignShare * w.expected_bytes) {
      auto what = of(w, diagnosis);
      if (diagnosis == "holes" && is_no_device(missing / w.expected_bytes)) what.severity = Severity::error;
      out.push_back(found("audit.below", std::move(what)));
    }
}

// Reads and writes that were served before the device. The file system returns zeros for holes. From a share of
// kNoDeviceShare on, the run measured no device. A page cache may be what the job intends to measure.
struct Nothing {
  std::string_view term;  // its name
  const char* id;
  double least;  // share of the bytes
  bool may_fail;
  bool by_cache = false;
};
constexpr Nothing kNothings[] = {{"holes", "audit.holes", kNothingShare, true},
                                 {"unwritten extents", "audit.unwritten", kNothingShare, true},
                                 {"compressed", "audit.compressed", kNothingShare, false},
                                 {"page-cache hits", "audit.page_cache", kFromCacheShare, false, true},
                                 {"rewritten in memory", "audit.rewritten", kRewrittenShare, false, true}};

// True if all jobs that use the page cache map their files. direct=1 would have no effect on them.
bool all_map_files(const result::Run& run) {
  const auto jobs = single_jobs(run);
  return std::any_of(jobs.begin(), jobs.end(), [](const auto* job) { return job->traits.maps_files; }) &&
         std::all_of(jobs.begin(), jobs.end(),
                     [&](const auto* job) { return job->traits.maps_files || is_direct(run, *job); });
}

// Each row is reported once, by the first cross-check that has its term.
void check_nothing_read(const result::Run& run, Findings& out) {
  const bool mapped = all_map_files(run);
  for (const auto& row : kNothings)
    for (const auto& w : run.audit->witnesses) {
      if (w.source != "process" && w.source != "block") continue;
      const auto term = std::find_if(w.explained.begin(), w.explained.end(), [&](const auto& t) {
        return t.name == row.term && -t.bytes > row.least * w.expected_bytes;
      });
      if (term == w.explained.end()) continue;
      const double share = -term->bytes / w.expected_bytes;
      const bool fails = row.may_fail && is_no_device(share);
      const char* const variant = row.by_cache && mapped ? "mapped" : row.may_fail && !fails ? "part" : "";
      out.push_back(found(row.id, {.variant = variant,
                                   .values = {{"missing_bytes", -term->bytes},
                                              {"expected_bytes", w.expected_bytes},
                                              {"seen_bytes", w.seen_bytes}},
                                   .effect = Effect{EffectOn::bytes, share}}));
      break;
    }
}

void check_witness(const result::AuditWitness& w, Findings& out) {
  if (w.verdict == Verdict::disagrees)
    out.push_back(found("audit.disagrees", of(w, variant_of(w))));
  else if (w.diagnosis == "lost")
    out.push_back(found("audit.lost", {.values = {{"witness", w.source + " " + w.subject}, {"cause", w.cause}}}));
  else if (w.diagnosis == "aliased")
    out.push_back(found("audit.aliased", of(w)));
  else if (disturbing(w))
    out.push_back(found("audit.foreign_io", of(w)));
}

void check_switched_off(const result::Audit& audit, Findings& out) {
  if (std::none_of(audit.witnesses.begin(), audit.witnesses.end(),
                   [](const auto& w) { return w.diagnosis == "switched_off"; }))
    return;
  for (const auto& count : audit.counts)
    if (count.source == "block" && count.name == "iostats_off")
      out.push_back(found("audit.iostats_off", {.values = {{"disk", count.subject}}}));
}

bool is_state(const result::LinkFinding& link) { return link.name.starts_with("current_link"); }

}  // namespace

void check_audit(const result::Run& run, Findings& out) {
  if (!run.audit) return;
  for (const auto& w : run.audit->witnesses) {
    check_witness(w, out);
    check_below(w, std::any_of(run.jobs.begin(), run.jobs.end(), [&](const auto& j) { return !is_direct(run, j); }),
                out);
  }
  check_nothing_read(run, out);
  check_switched_off(*run.audit, out);
  for (const auto& io : run.audit->foreign)
    out.push_back(found("audit.foreign_io", {.variant = "disk",
                                             .values = {{"cause", io.cause}, {"foreign_bytes", io.bytes}},
                                             .severity = io.disturbing ? Severity::warning : Severity::note}));
  for (const auto& link : run.audit->link)
    out.push_back(found(is_state(link) ? "link.degraded" : "link.errors",
                        {.values = {{"port", link.port}, {"name", link.name}, {"cause", link.cause}}}));
}

}  // namespace fathom::audit
