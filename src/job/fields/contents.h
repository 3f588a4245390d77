// Contents of a job's writes: zero_buffers, refill_buffers, scramble_buffers, buffer_pattern, buffer_compress_*,
// dedupe_*. Values are as written; workload/bytes/contents.h combines them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::job::fields {

// A part of a pattern: bytes, the name of a file with the bytes, or eight bytes for the offset of the I/O.
struct PatternPart {
  std::string text;
  bool is_file = false, is_offset = false;
};

enum class DedupeMode : std::uint8_t { repeat, working_set };

struct ContentOptions : OfJob {
  bool zero = false;
  std::optional<bool> refill, scramble;  // nullopt: not written
  std::vector<PatternPart> pattern_parts;
  std::string pattern;  // loaded by run/ when it plans the job; empty: no pattern
  unsigned compress_percent = 0;
  std::uint64_t compress_chunk = 512;  // bytes; 0: a block
  unsigned dedupe_percent = 0;
  DedupeMode dedupe_mode = DedupeMode::repeat;
  unsigned working_set_percent = 5;  // of the blocks of size=
  bool dedupe_global = false;
  // Seeds of all jobs of the run with dedupe_global, in their order: they generate the jobs' working sets.
  std::vector<std::uint64_t> shared_seeds;
};

// Maximum size of such a file, and of the pattern.
inline constexpr std::size_t kLongestPattern = 128u << 20;

}  // namespace fathom::job::fields
