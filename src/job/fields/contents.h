// What a job's writes carry: zero_buffers, refill_buffers, scramble_buffers, buffer_pattern, buffer_compress_*, dedupe_*.
// As they were written; workload/bytes/contents.h decides what they come to.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::job::fields {

// A piece of a pattern: bytes, or the name of a file that has them, or eight bytes for the offset of the I/O.
struct PatternPart {
  std::string text;
  bool is_file = false, is_offset = false;
};

enum class DedupeMode : std::uint8_t { repeat, working_set };

struct ContentOptions : OfJob {
  bool zero = false;
  std::optional<bool> refill, scramble;  // none: not written
  std::vector<PatternPart> pattern_parts;
  std::string pattern;  // read by run/, when the job is planned; empty: none
  unsigned compress_percent = 0;
  std::uint64_t compress_chunk = 512;  // bytes; 0: a block
  unsigned dedupe_percent = 0;
  DedupeMode dedupe_mode = DedupeMode::repeat;
  unsigned working_set_percent = 5;  // of the blocks of size=
  bool dedupe_global = false;
  // Of all jobs of the run with dedupe_global, in their order: what their working sets are drawn from.
  std::vector<std::uint64_t> shared_seeds;
};

// No file is larger than this, nor the pattern.
inline constexpr std::size_t kLongestPattern = 128u << 20;

}  // namespace fathom::job::fields
