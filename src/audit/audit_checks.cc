// From the audit to findings: what disagrees, what others did to the disk, a witness that was lost, and the link.
#include <fmt/format.h>

#include <algorithm>

#include "audit/checks.h"
#include "audit/run_findings.h"
#include "audit/text.h"

namespace fathom::audit {
namespace {

using result::Severity;
using result::Verdict;

struct Remedy {
  std::string_view diagnosis;  // its beginning
  const char* text;
};
constexpr Remedy kRemedies[] = {
    {"unit_error", "compare with another witness; if the PCIe counter's unit is wrong, give it by --unit-bytes"},
    {"wrong_port", "see `fathom pmu list` for the port behind the device, or name the PMU by --audit=pmu:NAME"},
    {"missing_io",
     "write the file fully before reading it, and do it with direct=1, so that every byte has to be moved"},
    {"engine_count", "believe the kernel's count; repeat with another ioengine, and report the job if it stays so"},
    {"foreign_io", "run on an idle machine (--settle), or end what is named"},
    {"aliased", "let the job do one direction, so that its event has the counter to itself"},
};

const char* remedy_of(const std::string& diagnosis) {
  for (const auto& row : kRemedies)
    if (std::string_view(diagnosis).starts_with(row.diagnosis)) return row.text;
  return "run again with --settle, and compare the witnesses one by one in the JSON";
}

std::string evidence_of(const result::AuditWitness& w) {
  return fmt::format("{} {}{}{}: expected {}, seen {} ({}): {}", w.source, w.subject, w.direction.empty() ? "" : " ",
                     w.direction, bytes_text(w.expected_bytes), bytes_text(w.seen_bytes),
                     percent_text(w.seen_bytes, w.expected_bytes), w.cause);
}

// Others' traffic at a port is a doubt about every latency once it is a visible part of the whole; of the disks it is
// listed by itself.
bool disturbing(const result::AuditWitness& w) {
  if (w.source == "block" || w.source == "below" || w.source == "members") return false;
  double foreign_bytes = 0;
  for (const auto& term : w.explained)
    if (term.name.starts_with("others")) foreign_bytes += term.bytes;
  return foreign_bytes > kForeignShare * w.expected_bytes;
}

struct Below {
  std::string_view diagnosis;
  const char* remedy;
};
constexpr Below kBelow[] = {
    {"page_cache",
     "`losetup --direct-io=on` of the loop device takes the page cache out of the way; or measure the disk itself"},
    {"holes", "fill the loop device's file first: what has no block is answered without the disk"},
    {"not_passed_on", "the stack answered by itself (a cache, a target without blocks): it was measured, and no disk"},
};

// Reads that a lower layer never saw were answered by what lies between, whatever the job asked for.
void check_below(const result::AuditWitness& w, Findings& out) {
  if ((w.source != "below" && w.source != "members") || w.direction != "read") return;
  const double missing = w.expected_bytes - w.seen_bytes;
  for (const auto& row : kBelow)
    if (w.diagnosis == row.diagnosis && missing > kForeignShare * w.expected_bytes)
      out.push_back({"audit.below", Severity::warning, "", evidence_of(w), row.remedy});
}

struct Nothing {
  std::string_view term;  // its name
  const char *id, *how;
};
constexpr Nothing kNothings[] = {
    {"holes", "audit.holes", "no block is allocated there"},
    {"unwritten extents", "audit.unwritten", "blocks are only reserved there (fallocate) and were never written"},
};

// The file system made zeroes: whatever the latencies are, no device was asked. Said once, by the first that saw it.
void check_nothing_read(const result::Audit& audit, Findings& out) {
  for (const auto& row : kNothings)
    for (const auto& w : audit.witnesses) {
      if (w.source != "process" && w.source != "block") continue;
      const auto term = std::find_if(w.explained.begin(), w.explained.end(), [&](const auto& t) {
        return t.name == row.term && -t.bytes > kNothingShare * w.expected_bytes;
      });
      if (term == w.explained.end()) continue;
      out.push_back({row.id, Severity::warning, "",
                     fmt::format("{} of {} were read where {}: the file system made zeroes, and no device was measured",
                                 bytes_text(-term->bytes), bytes_text(w.expected_bytes), row.how),
                     remedy_of("missing_io")});
      break;
    }
}

void check_witness(const result::AuditWitness& w, Findings& out) {
  if (w.verdict == Verdict::disagrees)
    out.push_back(
        {"audit.disagrees", Severity::warning, "", "[" + w.diagnosis + "] " + evidence_of(w), remedy_of(w.diagnosis)});
  else if (w.diagnosis == "lost")
    out.push_back({"audit.lost", Severity::warning, "", fmt::format("{} {}: {}", w.source, w.subject, w.cause),
                   "the run's numbers stand, but this witness cannot speak for all of it"});
  else if (w.diagnosis == "aliased")
    out.push_back({"audit.aliased", Severity::warning, "", evidence_of(w), remedy_of(w.diagnosis)});
  else if (disturbing(w))
    out.push_back({"audit.foreign_io", Severity::warning, "", evidence_of(w), remedy_of("foreign_io")});
}

bool is_state(const result::LinkFinding& link) { return link.name.starts_with("current_link"); }

}  // namespace

void check_audit(const result::Run& run, Findings& out) {
  if (!run.audit) return;
  for (const auto& w : run.audit->witnesses) {
    check_witness(w, out);
    check_below(w, out);
  }
  check_nothing_read(*run.audit, out);
  for (const auto& io : run.audit->foreign)
    out.push_back({"audit.foreign_io", io.disturbing ? Severity::warning : Severity::note, "", io.cause,
                   remedy_of("foreign_io")});
  for (const auto& link : run.audit->link)
    out.push_back({is_state(link) ? "link.degraded" : "link.errors", Severity::warning, "",
                   fmt::format("{} {}: {}", link.port, link.name, link.cause),
                   is_state(link)
                       ? "reseat the device or its cable, and look at the slot's and the BIOS's link settings: "
                         "bandwidth and tails are the link's"
                       : "what is sent again takes longer: tails may be the link's; look at connectors and "
                         "cables"});
}

}  // namespace fathom::audit
