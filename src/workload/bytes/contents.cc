// Plans the contents of writes, and generates the bytes.
#include "workload/bytes/contents.h"

#include <algorithm>
#include <cstring>

#include "base/random_fill.h"

namespace fathom::workload::bytes {
namespace {

using Options = job::fields::ContentOptions;

Contents::Bytes bytes_of(const job::Job& job, const Options& options) {
  if (options.compress_percent != 0 || options.dedupe_percent != 0) return Contents::Bytes::mixed;
  if (options.zero || !options.pattern.empty()) return Contents::Bytes::fixed;
  return job.fill == job::Fill::random ? Contents::Bytes::random : Contents::Bytes::streams;
}

Contents::Write way_of(const job::Job& job, const Options& options, Contents::Bytes bytes) {
  if (bytes == Contents::Bytes::random || bytes == Contents::Bytes::mixed) return Contents::Write::anew;
  if (options.refill.value_or(job.verify)) return Contents::Write::anew;
  if (job.verify) return Contents::Write::kept;
  if (bytes != Contents::Bytes::fixed)
    return options.scramble.value_or(true) ? Contents::Write::stamped : Contents::Write::kept;
  if (options.pattern.empty() && options.scramble.value_or(false)) return Contents::Write::stamped;
  // In a mixed job, a read leaves other data in the buffer.
  return job.mode.reads ? Contents::Write::anew : Contents::Write::kept;
}

}  // namespace

Contents plan_contents(const job::Job& job, std::uint64_t size_bytes) {
  const auto& options = job.of<Options>();
  Contents plan;
  plan.bytes = bytes_of(job, options);
  plan.write = way_of(job, options, plan.bytes);
  plan.pattern = options.pattern;
  plan.block = std::max<std::uint64_t>(1, job.bs_min[io::index(io::Dir::write)]);
  plan.largest = std::max(plan.block, job.bs_max[io::index(io::Dir::write)]);
  plan.chunk = options.compress_chunk == 0 ? plan.block : std::min(options.compress_chunk, plan.block);
  plan.compress_percent = options.compress_percent;
  plan.dedupe_percent = options.dedupe_percent;
  if (options.dedupe_mode == job::fields::DedupeMode::working_set) {
    plan.working_set = std::max<std::uint64_t>(1, size_bytes / plan.block * options.working_set_percent / 100);
    plan.shared_seeds = options.shared_seeds;
  }
  return plan;
}

std::uint64_t content_seed(const job::Job& job, std::uint32_t job_index) {
  return 0x5851f42d4c957f2dull * (job_index + 1) + job.randseed;
}

BlockSeeds::BlockSeeds(const Contents& contents, std::uint64_t seed)
    : begin_(seed),
      working_set_(contents.working_set),
      percent_(contents.dedupe_percent),
      shared_(contents.shared_seeds),
      draws_(seed ^ 0xd1b54a32d192ed03ull) {}

std::uint64_t BlockSeeds::seed_of(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t state = seed + n * 0x9e3779b97f4a7c15ull;
  return base::splitmix64(state);
}

bool BlockSeeds::comes_again() {
  if (percent_ == 0) return false;
  return percent_ >= 100 || draws_.below(100) < percent_;
}

std::uint64_t BlockSeeds::drawn() {
  const std::uint64_t n = draws_.below(working_set_);
  if (shared_.empty()) return seed_of(begin_, n);
  return seed_of(shared_[n % shared_.size()], n / shared_.size());
}

std::uint64_t BlockSeeds::next() {
  const bool again = comes_again();
  if (again && working_set_ != 0) return drawn();
  if (!again || made_ == 0) ++made_;
  return seed_of(begin_, made_ - 1);
}

Refill::Refill(const Contents& contents, std::uint64_t seed)
    : contents_(contents), prng_(seed), seeds_(contents, seed) {}

void Refill::fill(std::span<std::byte> out) {
  switch (contents_.bytes) {
    case Contents::Bytes::streams:
      return base::fill_streams(out, base::draw_fill_seed(prng_));
    case Contents::Bytes::random:
      return base::fill_random(out, prng_);
    case Contents::Bytes::fixed:
      for (; out.size() > contents_.largest; out = out.subspan(contents_.largest))
        fill_fixed(out.first(contents_.largest));
      return fill_fixed(out);
    case Contents::Bytes::mixed:
      break;
  }
  while (!out.empty()) {
    const auto block = out.first(std::min<std::size_t>(contents_.block, out.size()));
    fill_mixed(block, seeds_.next());
    out = out.subspan(block.size());
  }
}

// Repeats the pattern from its beginning: the part filled so far is copied after itself.
void Refill::fill_fixed(std::span<std::byte> out) const {
  if (contents_.pattern.empty()) {
    std::fill(out.begin(), out.end(), std::byte{0});
    return;
  }
  std::size_t filled = std::min(out.size(), contents_.pattern.size());
  std::memcpy(out.data(), contents_.pattern.data(), filled);
  while (filled < out.size()) {
    const std::size_t n = std::min(filled, out.size() - filled);
    std::memcpy(out.data() + filled, out.data(), n);
    filled += n;
  }
}

// If all blocks are equal (dedupe_percentage=100), all chunks of a block are equal too, as in fio.
void Refill::fill_mixed(std::span<std::byte> block, std::uint64_t seed) const {
  base::Prng prng(seed);
  std::uint64_t of_chunk = base::draw_fill_seed(prng);
  while (!block.empty()) {
    const auto chunk = block.first(std::min<std::size_t>(contents_.chunk, block.size()));
    const auto random = chunk.first(chunk.size() * (100 - contents_.compress_percent) / 100);
    base::fill_streams(random, of_chunk);
    fill_fixed(chunk.subspan(random.size()));
    if (contents_.dedupe_percent < 100) of_chunk = base::draw_fill_seed(prng);
    block = block.subspan(chunk.size());
  }
}

}  // namespace fathom::workload::bytes
