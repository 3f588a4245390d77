// An answer of zeros is an answer without the medium only where a device can drop blocks (discard); of another one it is
// a warning: whoever wrote zeros to all of a disk has a disk of zeros.
#include "witness/targets/blank_targets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

#include "base/system/fd.h"
#include "base/time.h"
#include "host/disk/block_tree.h"
#include "result/findings/rows.h"

namespace fathom::witness::targets {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kMostSamples = 32, kFewestSamples = 8;
constexpr std::uint64_t kMost_ns = 200'000'000;  // a slow or limited device is asked less often

bool moves(const run::files::Plan& plan, bool write) {
  return !plan.failed && (write ? plan.job.mode.writes || plan.job.mode.trims : plan.job.mode.reads);
}

bool is_zeros(const std::byte* block) {
  return std::all_of(block, block + kBlock, [](std::byte b) { return b == std::byte{0}; });
}

struct Samples {
  std::uint64_t read = 0, zeros = 0;
};

// Evenly over the window; until the first block that holds something.
Samples look(const run::files::PlannedTarget& target) {
  Samples samples;
  const base::system::UniqueFd fd(::open(target.path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC));
  const std::unique_ptr<std::byte, void (*)(void*)> block(static_cast<std::byte*>(std::aligned_alloc(kBlock, kBlock)),
                                                          std::free);
  if (!fd || !block) return samples;
  const std::uint64_t begin_ns = base::monotonic_ns(), blocks = target.length / kBlock;
  for (std::uint64_t i = 0; i < std::min(kMostSamples, blocks); ++i) {
    const std::uint64_t at = (target.start / kBlock + i * blocks / std::min(kMostSamples, blocks)) * kBlock;
    if (::pread(fd.get(), block.get(), kBlock, static_cast<off_t>(at)) != static_cast<ssize_t>(kBlock)) break;
    ++samples.read;
    samples.zeros += is_zeros(block.get());
    if (samples.zeros < samples.read || base::monotonic_ns() - begin_ns > kMost_ns) break;
  }
  return samples;
}

// Whether the kernel knows how to tell the disk that blocks hold nothing.
bool can_drop_blocks(const std::string& path) {
  struct stat st {};
  const host::disk::BlockTree tree;
  if (::stat(path.c_str(), &st) != 0) return false;
  const auto most = tree.attribute(tree.whole_disk(tree.name_of(st.st_rdev)), "queue/discard_max_bytes");
  return !most.empty() && most != "0";
}

}  // namespace

std::vector<result::Finding> blank_targets(const std::vector<run::files::Plan>& plans) {
  using result::Effect;
  using result::EffectOn;
  std::set<std::string> written, seen;
  for (const auto& plan : plans)
    for (const auto& target : plan.targets)
      if (moves(plan, true)) written.insert(target.path);
  std::vector<result::Finding> out;
  for (const auto& plan : plans)
    for (const auto& target : plan.targets) {
      if (target.kind != io::TargetKind::block || !moves(plan, false) || written.contains(target.path)) continue;
      if (!seen.insert(target.path).second) continue;
      const Samples samples = look(target);
      if (samples.read < kFewestSamples || samples.zeros < samples.read) continue;
      const bool drops = can_drop_blocks(target.path);
      out.push_back(
          result::findings::found("run.blank_device", {.variant = drops ? "" : "zeros",
                                                       .job = plan.job.name,
                                                       .values = {{"device", target.path}, {"samples", samples.read}},
                                                       .effect = Effect{EffectOn::bytes, 1}}));
    }
  return out;
}

}  // namespace fathom::witness::targets
