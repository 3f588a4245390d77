// The cross-checks in order, the verdict of the run, and its one-line summary.
#include "audit/witnesses/reconcile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/text.h"
#include "audit/witnesses/evidence.h"
#include "audit/witnesses/witness.h"
#include "result/measured.h"

namespace fathom::audit::witnesses {
namespace {

using result::Verdict;

constexpr void (*kJudges[])(const Case&, Witnesses&) = {judge_blocks, judge_members, judge_processes, judge_devices,
                                                        judge_queues, judge_ports,   judge_traces};

// The verdict cannot be "agrees" if other processes caused a considerable share of the disk's I/O.
Verdict worst(const result::Audit& audit) {
  Verdict verdict = Verdict::no_witness;
  for (const auto& w : audit.witnesses) verdict = std::max(verdict, w.verdict);
  const bool disturbed =
      std::any_of(audit.foreign.begin(), audit.foreign.end(), [](const auto& io) { return io.disturbing; });
  return disturbed ? std::max(verdict, Verdict::explained) : verdict;
}

// A difference within the tolerance is no agreement if it is large compared with the bytes moved. Example: a read of 4
// KiB, when a file system read 24 KiB for itself, proves nothing.
void doubt_small(Witness& w) {
  const double difference = std::abs(w.seen_bytes - w.expected_bytes);
  if (w.verdict != Verdict::agrees || difference <= kMostAgreed * w.expected_bytes) return;
  conclude(w, Verdict::too_short, "too_short",
           fmt::format("too short to judge: {} were moved, and the counters may differ by up to {}; move "
                       "more data",
                       bytes_text(w.expected_bytes), bytes_text(std::max(difference, w.tolerance_bytes))));
}

std::string moved_text(const result::Run& run) {
  double bytes[2] = {}, trimmed = 0;
  for (const auto* job : single_jobs(run)) {
    trimmed += static_cast<double>(job->dirs[2].moved_bytes);
    for (const Way way : kWays)
      bytes[static_cast<std::size_t>(way)] += static_cast<double>(job->dirs[static_cast<std::size_t>(way)].moved_bytes);
  }
  std::vector<std::string> parts;
  if (bytes[0] > 0) parts.push_back(bytes_text(bytes[0]) + " read");
  if (bytes[1] > 0) parts.push_back(bytes_text(bytes[1]) + " written");
  if (trimmed > 0) parts.push_back(bytes_text(trimmed) + " trimmed (trims have no cross-check)");
  return parts.empty() ? "nothing moved" : joined(parts);
}

struct Label {
  std::string_view source;
  const char* text;  // before the subject
  bool with_subject;
};
constexpr Label kLabels[] = {
    {"block", "block ", true},        {"below", "below ", true},      {"members", "members ", true},
    {"process", "process", false},    {"smart", "health log ", true}, {"driver", "health log ", true},
    {"queues", "queue pairs", false}, {"pcie_pmu", "PCIe ", true},    {"trace", "tracepoints ", true}};

std::string label(const result::AuditWitness& w) {
  for (const auto& row : kLabels)
    if (row.source == w.source) return row.text + (row.with_subject ? w.subject : "");
  return w.source + " " + w.subject;
}

std::string one(const result::AuditWitness& w) {
  if (w.lost_at_s) return lost_text(*w.lost_at_s);
  if (w.verdict == Verdict::no_witness) return "-";
  const std::string percent = percent_text(w.seen_bytes, w.expected_bytes);
  if (w.verdict == Verdict::too_short) return percent + " (too short to judge)";
  return w.verdict == Verdict::agrees ? percent : percent + " (" + w.diagnosis + ")";
}

// "block vda +0.00 % read, +0.01 % write": the directions of one source together.
std::string witness_texts(const Witnesses& witnesses) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < witnesses.size(); ++i) {
    const auto& w = witnesses[i];
    const bool with_next = i + 1 < witnesses.size() && label(witnesses[i + 1]) == label(w);
    if (with_next) {
      texts.push_back(label(w) + " " + one(w) + " read, " + one(witnesses[i + 1]) + " write");
      ++i;
    } else {
      texts.push_back(label(w) + " " + one(w));
    }
  }
  return joined(texts, "; ");
}

bool tells_of_foreign_io(const result::AuditWitness& w) {
  return std::any_of(w.explained.begin(), w.explained.end(),
                     [](const auto& t) { return t.name.starts_with("others"); });
}

// "others on vda: write 312 MiB (2.31 s), flush 40 times (0.2 s)": I/O that no cross-check's difference includes.
std::string foreign_text(const result::Audit& audit) {
  std::string text;
  const std::string* disk = nullptr;
  for (const auto& io : audit.foreign) {
    const bool said = std::any_of(audit.witnesses.begin(), audit.witnesses.end(), [&](const auto& w) {
      return w.subject == io.disk && w.direction == io.direction && tells_of_foreign_io(w);
    });
    if (said || !io.disturbing) continue;
    const bool same = disk != nullptr && *disk == io.disk;
    text += same ? ", " : (text.empty() ? "" : "; ") + ("others on " + io.disk + ": ");
    text += io.direction + " " + (io.bytes > 0 ? bytes_text(io.bytes) : fmt::format("{:.0f} times", io.ios));
    if (io.time_s) text += fmt::format(" ({:.3g} s)", *io.time_s);
    disk = &io.disk;
  }
  return text;
}

// "no PCIe PMU": the JSON has the reason. A device without a PCIe link (conventional PCI, most virtual machines) lacks
// no cross-check.
std::string missing_text(const std::vector<result::Missing>& missing) {
  std::string text;
  for (const auto& none : missing)
    if (none.is_lack) text += (text.empty() ? "no " : ", no ") + none.name;
  return text;
}

std::string line_of(const result::Run& run, const result::Audit& audit, const std::vector<result::Missing>& missing) {
  std::vector<std::string> parts{moved_text(run)};
  if (!audit.witnesses.empty()) parts.push_back(witness_texts(audit.witnesses));
  if (const auto foreign = foreign_text(audit); !foreign.empty()) parts.push_back(foreign);
  if (!missing.empty()) parts.push_back(missing_text(missing));
  if (!audit.link.empty())
    parts.push_back(
        fmt::format("link {}: {} {}", audit.link.front().port, audit.link.front().name, audit.link.front().cause));
  return std::string(result::name(audit.verdict)) + ": " + joined(parts, "; ");
}

}  // namespace

result::Audit reconcile(const result::Run& run, const std::vector<result::Count>& counts, const Facts& facts) {
  result::Audit audit;
  audit.mode = facts.mode;
  for (const auto& none : facts.missing) audit.missing.push_back(none.text());
  audit.ports = facts.link_ports;
  audit.counts = counts;
  const Case c{run, audit.counts, facts, paired(run, facts)};
  for (const auto judge : kJudges) judge(c, audit.witnesses);
  for (auto& w : audit.witnesses) doubt_small(w);
  audit.link = link_changes(counts);
  audit.foreign = foreign_io(c, audit.witnesses);
  audit.verdict = worst(audit);
  audit.line = line_of(run, audit, facts.missing);
  return audit;
}

}  // namespace fathom::audit::witnesses
