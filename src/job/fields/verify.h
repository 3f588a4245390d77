// Verification options as written: verify= and related ones. run/checks/verify_plan.h combines them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "job/fields/contents.h"
#include "job/job.h"

namespace fathom::job::fields {

enum class VerifyFormat : std::uint8_t { fio_3_42, fio_3_33 };
enum class VerifyPolicy : std::uint8_t { completed, fsynced };

struct VerifyOptions : OfJob {
  std::string method;  // fio's name (verify/methods.h); empty: not given
  VerifyFormat format = VerifyFormat::fio_3_42;
  std::uint64_t offset = 0;                        // of the header in its interval, in bytes
  std::vector<PatternPart> pattern_parts;          // verify_pattern; empty: no pattern
  std::uint64_t pattern_interval = 0;              // bytes; 0: the pattern restarts only with each I/O
  bool header_seed = true, write_sequence = true;  // header fields that are compared with the exact write
  bool experimental = false;                       // read back each write, even if its place was written again
  VerifyPolicy policy = VerifyPolicy::completed;   // the writes to read back
  bool dump = false;
  std::uint32_t async_threads = 0;  // 0: the worker checks itself
  std::vector<int> async_cpus;      // CPUs for them; empty: those of the worker
  // Number of writes after which `batch` of them (0: all of them) are read back; 0: all at the end.
  std::uint64_t backlog = 0, backlog_batch = 0;
  bool reads_between() const { return backlog != 0; }
  // The same for trims, which are this percentage of the writes.
  std::uint64_t trim_backlog = 0, trim_backlog_batch = 0;
  std::uint32_t trim_percentage = 0;
  bool trim_verify_zero = true;  // trimmed data must read as zeroes; false: not checked
  bool trims_between() const { return trim_percentage != 0 && trim_backlog != 0; }
  // Loaded by run/ when it plans the job: the bytes, and the positions of the I/O's offset in them.
  std::string pattern;
  std::vector<std::size_t> offset_places;
  // States of the written data, and the directory of states and dumps (--aux-path=); empty: the working directory.
  std::optional<bool> state_save;  // nullopt: not given; a state is saved if possible
  bool state_load = false;
  std::string aux_path;
};

}  // namespace fathom::job::fields
