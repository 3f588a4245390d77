// What writes carry, decided once before the start. Three ways, of which the first costs what it has always cost:
//   stamped  the buffer's bytes, filled once, each sector stamped before a write (fio's default; buffers.h)
//   kept     the buffer's bytes as they are: scramble_buffers=0, zero_buffers, buffer_pattern
//   anew     made before each write: refill_buffers, verify=, fill=random, buffer_compress_percentage, dedupe_percentage
// Compressible blocks are chunks that begin with bytes that do not compress and end in zeroes or the pattern. A block
// that comes again is made again from its seed, so nothing that was written is kept. The shares and the ratios that
// compressors get are fio's (tests/reference/contents_test.py). Laid-out files are made by the same (run/files/layout_fill.h).
// Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/prng.h"
#include "base/random_fill.h"
#include "job/fields/contents.h"

namespace fathom::workload::bytes {

struct Contents {
  enum class Write : std::uint8_t { stamped, kept, anew };
  enum class Bytes : std::uint8_t { streams, random, fixed, mixed };  // mixed: compressible, or with blocks twice
  Write write = Write::stamped;
  Bytes bytes = Bytes::streams;
  std::string_view pattern = {};            // of what is fixed; empty: zeroes. The job's, which outlives this
  std::uint64_t block = 4096, chunk = 512;  // bytes; a chunk divides a block as far as it goes
  std::uint64_t largest = 4096;             // bytes of a write; where a laid-out file's pattern begins again
  unsigned compress_percent = 0, dedupe_percent = 0;
  std::uint64_t working_set = 0;                     // blocks to draw from; 0: the last new one comes again
  std::span<const std::uint64_t> shared_seeds = {};  // dedupe_global; empty: the job's own
};

// size_bytes: of the job's files, for the working set.
Contents plan_contents(const job::Job& job, std::uint64_t size_bytes = 0);

// Where the contents of a job of the run begin.
std::uint64_t content_seed(const job::Job& job, std::uint32_t job_index);

// Which block comes next, as the seed that it is made of: a new one, or with `percent` of a chance one that was there.
class BlockSeeds {
 public:
  BlockSeeds(const Contents& contents, std::uint64_t seed);
  std::uint64_t next();
  // Number n of those that begin at `seed`.
  static std::uint64_t seed_of(std::uint64_t seed, std::uint64_t n);

 private:
  bool comes_again();
  std::uint64_t drawn();
  std::uint64_t begin_, made_ = 0, working_set_;
  unsigned percent_;
  std::span<const std::uint64_t> shared_;
  base::Prng draws_;
};

// Makes the bytes.
class Refill {
 public:
  // The job that `contents` is of outlives it.
  Refill(const Contents& contents, std::uint64_t seed);
  // What a write is to carry; nothing is done where the buffer has it already.
  void operator()(std::span<std::byte> block) {
    if (streams_anew_)
      base::fill_streams(block, base::draw_fill_seed(prng_));
    else if (contents_.write == Contents::Write::anew)
      fill(block);
  }
  // Bytes as the plan says, anew in any case.
  void fill(std::span<std::byte> out);
  // What a buffer holds before its first write is not what any buffer does that nobody asked about.
  bool fills_buffers() const { return contents_.bytes == Contents::Bytes::fixed; }

 private:
  void fill_fixed(std::span<std::byte> out) const;
  void fill_mixed(std::span<std::byte> block, std::uint64_t seed) const;
  const Contents contents_;
  const bool streams_anew_ =
      contents_.write == Contents::Write::anew && contents_.bytes == Contents::Bytes::streams;  // what most ask for
  base::Prng prng_;
  BlockSeeds seeds_;
};

}  // namespace fathom::workload::bytes
