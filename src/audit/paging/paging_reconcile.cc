// The cross-checks in order, the verdict of the run, and its one-line summary.
#include <fmt/format.h>

#include <algorithm>

#include "audit/paging/paging_case.h"
#include "audit/paging/paging_checks.h"
#include "audit/text.h"

namespace fathom::audit::paging {
namespace {

using result::Verdict;

constexpr void (*kJudges[])(const PagingCase&, witnesses::Witnesses&) = {
    judge_fault_classes, judge_fault_counters, judge_swap_ins, judge_swap_devices, judge_device_times};

struct Label {
  std::string_view source;
  const char* text;  // before the subject
  bool with_subject, with_direction;
};
constexpr Label kLabels[] = {{"getrusage", "threads", false, true}, {"memory.stat", "memory.stat", false, false},
                             {"vmstat", "vmstat", false, false},    {"swap-ins", "swap-ins", false, false},
                             {"block", "swap ", true, true},        {"device_time", "device time ", true, true}};

const Label& label_of(const witnesses::Witness& w) {
  const auto* at =
      std::find_if(std::begin(kLabels), std::end(kLabels), [&](const auto& l) { return l.source == w.source; });
  return at == std::end(kLabels) ? kLabels[0] : *at;
}

std::string one(const witnesses::Witness& w) {
  if (w.lost_at_s) return witnesses::lost_text(*w.lost_at_s);
  const std::string percent = percent_text(w.seen_bytes, w.expected_bytes);
  return w.verdict == Verdict::agrees ? percent : percent + " (" + w.diagnosis + ")";
}

// "swap zram0 +0.00 % read, +0.01 % write": the directions of one source together. Omits cross-checks with no bytes
// expected and none counted.
std::string witness_texts(const witnesses::Witnesses& witnesses) {
  std::vector<std::string> texts;
  std::string source, subject;
  for (const auto& w : witnesses) {
    if (w.expected_bytes <= 0 && w.verdict == Verdict::agrees) continue;
    const auto& label = label_of(w);
    const std::string said = one(w) + (label.with_direction ? " " + w.direction : "");
    if (source == w.source && (!label.with_subject || subject == w.subject)) {
      texts.back() += ", " + said;
    } else {
      texts.push_back(label.text + (label.with_subject ? w.subject : std::string()) + " " + said);
    }
    source = w.source;
    subject = w.subject;
  }
  return joined(texts, "; ");
}

std::string line_of(const PagingCase& c, const result::Audit& audit, const std::vector<result::Missing>& missing) {
  std::vector<std::string> parts;
  parts.push_back(c.kernel_major > 0 ? fmt::format("{:.0f} major faults", c.kernel_major) : "no major fault");
  if (const auto texts = witness_texts(audit.witnesses); !texts.empty()) parts.push_back(texts);
  for (const auto& none : missing) parts.push_back("no " + none.name);
  return std::string(result::name(audit.verdict)) + ": " + joined(parts, "; ");
}

bool has(const witnesses::Witnesses& witnesses, std::string_view source) {
  return std::any_of(witnesses.begin(), witnesses.end(), [&](const auto& w) { return w.source == source; });
}

std::vector<result::Missing> missing_of(const PagingCase& c, const witnesses::Witnesses& witnesses) {
  std::vector<result::Missing> missing;
  if (c.paging.workers.empty()) missing.push_back({"worker", "no worker has finished"});
  if (!c.file_backed && has_swap(c.paging) && !has(witnesses, "block"))
    missing.push_back({"swap device", "the disk under the swap is not known, or its counters could not be read"});
  if (c.file_backed) missing.push_back({"device's bytes", "the kernel reads pages of files in windows of many pages"});
  return missing;
}

}  // namespace

result::Audit reconcile_paging(const result::Run& run, const std::vector<result::Count>& counts) {
  result::Audit audit;
  audit.counts = counts;
  if (!run.paging) return audit;
  const auto c = paging_case(run, audit.counts);
  for (const auto judge : kJudges) judge(c, audit.witnesses);
  for (const auto& w : audit.witnesses) audit.verdict = std::max(audit.verdict, w.verdict);
  const auto missing = missing_of(c, audit.witnesses);
  for (const auto& none : missing) audit.missing.push_back(none.text());
  audit.line = line_of(c, audit, missing);
  return audit;
}

}  // namespace fathom::audit::paging
