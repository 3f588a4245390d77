// The counts of a run's cross-checks, and the verdict of audit/ on its bytes. Plain data; docs/audit.md explains it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/witness.h"

namespace fathom::result {

// In rising order of severity for a whole run: any disagreement takes precedence, then explained, then agrees.
// too_short: the bytes that window edges and file systems hide exceed a tenth of the bytes moved.
enum class Verdict { no_witness, too_short, agrees, explained, disagrees };

constexpr const char* name(Verdict v) {
  constexpr const char* names[] = {"no witness", "too short to judge", "agrees", "explained", "disagrees"};
  return names[static_cast<int>(v)];
}

// One term of a cross-check's expected count, or of the terms that explain the difference: "engine", "nvme commands",
// "page cache hits", "read-ahead", "others on vda".
struct AuditTerm {
  std::string name;
  double bytes = 0;
  std::string how;  // the arithmetic: "1024 x (64 SQE + 16 CQE ...)"
  bool operator==(const AuditTerm&) const = default;
};

// One cross-check in one direction.
struct AuditWitness {
  std::string source, subject, direction;  // as in Count
  Verdict verdict = Verdict::no_witness;
  double expected_bytes = 0;  // sum of the terms that are certain beforehand
  double seen_bytes = 0, seen_low_bytes = 0, seen_high_bytes = 0;
  double tolerance_bytes = 0;        // what rounding and window edges may hide
  std::string rule;                  // unit rule of a counter
  std::vector<AuditTerm> terms;      // terms of expected_bytes, the engine first
  std::vector<AuditTerm> explained;  // terms of the difference
  std::string cause;                 // one sentence: why it differs, or why there is no cross-check
  std::string diagnosis;             // machine-readable: unit_error_16, foreign_io, page_cache, wrong_port, aliased ...
  std::optional<double> lost_at_s;   // copied from its Count, which is where a file stores it
  bool operator==(const AuditWitness&) const = default;
};

// I/O of other processes on a disk of the run, during the run.
struct ForeignIo {
  std::string disk;              // "vda", "sda + sdb"
  std::string direction;         // "read", "write", "discard", "flush"
  double bytes = 0;              // 0 for a flush
  double ios = 0;                // requests; 0 for discards of zram: unknown
  std::optional<double> time_s;  // sum over these requests; nullopt: the kernel does not time them
  double window_s = 0;           // length of the window of these counts
  bool disturbing = false;       // it is a visible part of the disk's I/O
  std::string who;               // names, or why they are unknown
  std::string cause;             // one sentence
  bool operator==(const ForeignIo&) const = default;
};

struct LinkFinding {
  std::string port, name, cause;  // "0000:00:02.0", "aer_dev_correctable/BadTLP", one sentence
  double value = 0;
  bool operator==(const LinkFinding&) const = default;
};

// A missing cross-check, and the reason.
struct Missing {
  std::string name, why;
  bool is_lack = true;           // false: no shortcoming, many devices have nothing of the kind
  bool needs_privilege = false;  // available as root
  std::string text() const { return name + ": " + why; }
};

struct Audit {
  std::string mode = "auto";  // as requested: auto, off, trace, pmu...
  Verdict verdict = Verdict::no_witness;
  std::string line;  // the one line of the report
  std::vector<AuditWitness> witnesses;
  std::vector<ForeignIo> foreign;    // by other processes on the run's disks and their underlying devices
  std::vector<LinkFinding> link;     // changes on the link during the run; empty: no change
  std::vector<std::string> ports;    // ports with a checked link
  std::vector<std::string> missing;  // "PCIe PMU: …reason…": the texts of Missing
  std::vector<Count> counts;         // all raw counts, as evidence
  bool operator==(const Audit&) const = default;
};

}  // namespace fathom::result
