// Records the fate of the blocks that an I/O touches.
#include "run/records/block_lifetimes.h"

#include <algorithm>

#include "job/fields/block_lifetimes.h"

namespace fathom::run::records {
namespace {

std::uint64_t block_bytes_of(const job::Job& job) { return job.bs_min[io::index(io::Dir::trim)]; }

std::uint64_t blocks_of(const job::Job& job, const io::Target& target) {
  return (target.length + block_bytes_of(job) - 1) / block_bytes_of(job);
}

}  // namespace

BlockLifetimes::BlockLifetimes(const job::Job& job, std::span<const io::Target> targets, WorkerRecord& record)
    : record_(record) {
  if (!job.of<job::fields::BlockLifetimes>().on || targets.size() != 1) return;
  block_bytes_ = block_bytes_of(job);
  start_ = targets[0].start;
  record.lifetime_blocks =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks_of(job, targets[0]), kLifetimeBlocks));
}

void BlockLifetimes::mark(const io::Request& request, BlockFate of_trim, BlockFate of_write) {
  const bool trim = request.dir == io::Dir::trim;
  if ((!trim && request.dir != io::Dir::write) || request.length == 0 || request.offset < start_) return;
  const std::uint64_t first = (request.offset - start_) / block_bytes_;
  const std::uint64_t last = (request.offset - start_ + request.length - 1) / block_bytes_;
  for (std::uint64_t i = first; i <= last && i < record_.lifetime_blocks; ++i) {
    auto& block = record_.lifetimes[i];
    if (block.fate >= BlockFate::trim_failed) continue;
    block.fate = trim ? of_trim : of_write;
    block.trims += block.fate == BlockFate::trimmed ? 1 : 0;
  }
}

}  // namespace fathom::run::records
