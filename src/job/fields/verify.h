// Checking what was written, as the options say it: verify= and those that go with it. What they come to is decided in
// run/checks/verify_plan.h.
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
  std::string method;  // as fio calls it (verify/methods.h); empty: none is named
  VerifyFormat format = VerifyFormat::fio_3_42;
  std::uint64_t offset = 0;                        // of the header in its interval, bytes
  std::vector<PatternPart> pattern_parts;          // verify_pattern; empty: none
  std::uint64_t pattern_interval = 0;              // bytes; 0: the pattern begins anew with each I/O
  bool header_seed = true, write_sequence = true;  // what of a header is held against the very write
  bool experimental = false;                       // each write is read back, however often its place was written
  VerifyPolicy policy = VerifyPolicy::completed;   // which writes are read back
  bool dump = false;
  std::uint32_t async_threads = 0;  // 0: the worker checks by itself
  std::vector<int> async_cpus;      // where they may run; empty: where the worker may
  // So many writes, then batch (0: as many) of them are read back; 0: all at the end.
  std::uint64_t backlog = 0, backlog_batch = 0;
  bool reads_between() const { return backlog != 0; }
  // The same of trims, of so many in a hundred writes.
  std::uint64_t trim_backlog = 0, trim_backlog_batch = 0;
  std::uint32_t trim_percentage = 0;
  bool trim_verify_zero = true;  // what was trimmed has to read as zeroes; no: nobody looks
  bool trims_between() const { return trim_percentage != 0 && trim_backlog != 0; }
  // Read by run/, when the job is planned: the bytes, and where in them the I/O's offset goes.
  std::string pattern;
  std::vector<std::size_t> offset_places;
  // States of what was written, and where they and dumps lie (--aux-path=); empty: the working directory.
  std::optional<bool> state_save;  // none: not written, which is to save one if that can be done
  bool state_load = false;
  std::string aux_path;
};

}  // namespace fathom::job::fields
