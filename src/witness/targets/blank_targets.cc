// Zeros mean that the medium was not read only if the device can drop blocks (discard). For any other device they are a
// warning: a user may have written zeros to the whole disk. Blocks that the run itself writes first cause no finding.
// For blocks that it writes at the same time a warning remains, since some are read before they are written.
#include "witness/targets/blank_targets.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <span>
#include <string>

#include "base/system/fd.h"
#include "base/text/unit_text.h"
#include "base/time.h"
#include "host/disk/block_tree.h"
#include "result/findings/rows.h"
#include "run/process/stages.h"

namespace fathom::witness::targets {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::uint64_t kMostSamples = 32, kFewestSamples = 8;
constexpr double kFewShare = 0.15;               // of the samples; less is free space of a disk in use, or chance
constexpr double kMuchShare = 0.5;               // of the bytes, as for holes in a file
constexpr std::uint64_t kMost_ns = 200'000'000;  // a slow or limited device gets fewer samples

bool only_trims(const run::files::Plan& plan) {
  return !plan.failed && plan.job.mode.trims && !plan.job.mode.reads && !plan.job.mode.writes;
}

bool moves(const run::files::Plan& plan, bool write) {
  return !plan.failed && (write ? plan.job.mode.writes || plan.job.mode.trims : plan.job.mode.reads);
}

bool is_zeros(const std::byte* block) {
  return std::all_of(block, block + kBlock, [](std::byte b) { return b == std::byte{0}; });
}

struct Samples {
  std::uint64_t read = 0, zeros = 0;
};

// Samples are spread evenly over the I/O region.
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
    if (base::monotonic_ns() - begin_ns > kMost_ns) break;
  }
  return samples;
}

// True if the kernel can report unused blocks to the disk.
bool can_drop_blocks(const std::string& path) {
  struct stat st {};
  const host::disk::BlockTree tree;
  if (::stat(path.c_str(), &st) != 0) return false;
  const auto most = tree.attribute(tree.whole_disk(tree.name_of(st.st_rdev)), "queue/discard_max_bytes");
  return !most.empty() && most != "0";
}

// For all files of a job that only trims, together.
std::optional<result::Finding> nothing_to_trim(const run::files::Plan& plan, const audit::witnesses::JobReach& reach) {
  if (!only_trims(plan) || reach.range_bytes <= 0 || reach.sparse_bytes < kMuchShare * reach.range_bytes)
    return std::nullopt;
  const auto text = [](double bytes) { return base::text::unit_text(bytes, base::text::kBytesThree); };
  return result::findings::found(
      "run.nothing_to_trim",
      {.job = plan.job.name,
       .values = {{"empty", text(reach.sparse_bytes)},
                  {"all", text(reach.range_bytes)},
                  {"empty_bytes", reach.sparse_bytes}},
       .effect = result::Effect{result::EffectOn::bytes, reach.sparse_bytes / reach.range_bytes}});
}

std::set<std::string> written_by(std::span<const run::files::Plan> plans) {
  std::set<std::string> paths;
  for (const auto& plan : plans)
    for (const auto& target : plan.targets)
      if (moves(plan, true)) paths.insert(target.path);
  return paths;
}

}  // namespace

std::optional<result::Finding> blank_finding(const BlankFacts& facts) {
  if (facts.samples < kFewestSamples) return std::nullopt;
  const double share = static_cast<double>(facts.zeros) / static_cast<double>(facts.samples);
  if (share < (facts.can_drop_blocks ? kFewShare : 1)) return std::nullopt;
  if (facts.trims && share < kMuchShare) return std::nullopt;
  if (facts.trims)
    return result::findings::found(
        "run.nothing_to_trim",
        {.variant = "device",
         .job = facts.job,
         .values = {{"device", facts.device}, {"zeros", facts.zeros}, {"samples", facts.samples}},
         .effect = result::Effect{result::EffectOn::bytes, share}});
  return result::findings::found(
      "run.blank_device", {.variant = facts.written_meanwhile  ? "written"
                                      : !facts.can_drop_blocks ? "zeros"
                                      : share >= kMuchShare    ? ""
                                                               : "part",
                           .job = facts.job,
                           .values = {{"device", facts.device}, {"zeros", facts.zeros}, {"samples", facts.samples}},
                           .effect = result::Effect{result::EffectOn::bytes, share}});
}

std::vector<result::Finding> blank_targets(const std::vector<run::files::Plan>& plans,
                                           const audit::witnesses::Facts& facts) {
  std::set<std::string> written, seen;  // written by finished stages; already sampled
  std::vector<result::Finding> out;
  for (std::size_t first = 0; first < plans.size();) {
    const std::size_t last = run::process::stage_end(plans, first);
    const auto stage = std::span(plans).subspan(first, last - first);
    const auto meanwhile = written_by(stage);
    for (const auto& plan : stage)
      for (const auto& target : plan.targets) {
        const bool trims = only_trims(plan);
        if (target.kind != io::TargetKind::block || written.contains(target.path)) continue;
        if (!trims && !moves(plan, false)) continue;
        if (!seen.insert(target.path).second) continue;
        const Samples samples = look(target);
        if (auto finding = blank_finding({plan.job.name, target.path, samples.read, samples.zeros,
                                          can_drop_blocks(target.path), meanwhile.contains(target.path), trims}))
          out.push_back(std::move(*finding));
      }
    for (std::size_t i = first; i < last; ++i) {
      const auto& targets = plans[i].targets;
      const bool fresh =
          std::none_of(targets.begin(), targets.end(), [&](const auto& t) { return written.contains(t.path); });
      if (auto finding = fresh ? nothing_to_trim(plans[i], facts.jobs[i]) : std::nullopt)
        out.push_back(std::move(*finding));
    }
    written.insert(meanwhile.begin(), meanwhile.end());
    first = last;
  }
  return out;
}

}  // namespace fathom::witness::targets
