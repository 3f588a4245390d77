// What the witnesses of a run said of its bytes, and what audit/ made of it. Plain data; docs/audit.md reads it aloud.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::result {

// In the order of severity for a whole run: any disagreement wins, then explained, then agrees. too_short: what the
// windows' edges and file systems hide is more than a tenth of what was moved.
enum class Verdict { no_witness, too_short, agrees, explained, disagrees };

constexpr const char* name(Verdict v) {
  constexpr const char* names[] = {"no witness", "too short to judge", "agrees", "explained", "disagrees"};
  return names[static_cast<int>(v)];
}

// One term of what a witness was expected to count, or of what explains the rest: "engine", "nvme commands",
// "page cache hits", "read-ahead", "others on vda".
struct AuditTerm {
  std::string name;
  double bytes = 0;
  std::string how;  // the arithmetic: "1024 x (64 SQE + 16 CQE ...)"
  bool operator==(const AuditTerm&) const = default;
};

// One witness in one direction.
struct AuditWitness {
  std::string source, subject, direction;  // as Count
  Verdict verdict = Verdict::no_witness;
  double expected_bytes = 0;  // sum of the terms that are certain beforehand
  double seen_bytes = 0, seen_low_bytes = 0, seen_high_bytes = 0;
  double tolerance_bytes = 0;        // what rounding and window edges may hide
  std::string rule;                  // unit rule of a counter
  std::vector<AuditTerm> terms;      // of expected_bytes, the engine first
  std::vector<AuditTerm> explained;  // of the difference
  std::string cause;                 // one sentence: why it differs, or why there is no witness
  std::string diagnosis;             // machine-readable: unit_error_16, foreign_io, page_cache, wrong_port, aliased ...
  std::optional<double> lost_at_s;   // its count has it, and it is written there
  bool operator==(const AuditWitness&) const = default;
};

// What others did to a disk of the run meanwhile.
struct ForeignIo {
  std::string disk;              // "vda", "sda + sdb"
  std::string direction;         // "read", "write", "discard", "flush"
  double bytes = 0;              // none of a flush
  double ios = 0;                // requests; of zram's discards not known: 0
  std::optional<double> time_s;  // of these requests, summed; none: the kernel does not time them
  double window_s = 0;           // in which that was
  bool disturbing = false;       // a visible part of what the disk did
  std::string who;               // named, or why they are not
  std::string cause;             // the sentence
  bool operator==(const ForeignIo&) const = default;
};

struct LinkFinding {
  std::string port, name, cause;  // "0000:00:02.0", "aer_dev_correctable/BadTLP", sentence
  double value = 0;
  bool operator==(const LinkFinding&) const = default;
};

// A witness that there is none of, and why.
struct Missing {
  std::string name, why;
  bool is_lack = true;           // false: many devices have nothing of the kind
  bool needs_privilege = false;  // root would have it
  std::string text() const { return name + ": " + why; }
};

struct Audit {
  std::string mode = "auto";  // as asked: auto, off, trace, pmu...
  Verdict verdict = Verdict::no_witness;
  std::string line;  // the one line of the report
  std::vector<AuditWitness> witnesses;
  std::vector<ForeignIo> foreign;    // by others on the run's disks and what they lie on
  std::vector<LinkFinding> link;     // what changed on the link during the run; empty: nothing
  std::vector<std::string> ports;    // whose link was looked at
  std::vector<std::string> missing;  // "PCIe PMU: …why there is none…": the texts of Missing
  std::vector<Count> counts;         // all raw counts, as evidence
  bool operator==(const Audit&) const = default;
};

}  // namespace fathom::result
