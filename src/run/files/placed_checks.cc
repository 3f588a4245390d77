// Checks options that depend on the sizes of the targets, one function per option.
#include "run/files/placed_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/engine.h"
#include "engine/zoned/zoned.h"
#include "job/fields/block_lifetimes.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "job/fields/submit.h"
#include "job/resolve_control.h"
#include "run/records/record.h"

namespace fathom::run::files {
namespace {

// random_distribution=sequence: refuses a block number beyond the end of the smallest target.
base::Expected<void> check_sequence(const job::Job& job, const std::vector<PlannedTarget>& targets) {
  const auto& blocks = job.of<job::fields::OffsetChoice>().sequence;
  if (blocks.empty() || !job.mode.random) return {};
  const std::uint64_t largest = *std::max_element(blocks.begin(), blocks.end());
  for (const auto& t : targets) {
    const std::uint64_t held = t.length / smallest_block(job);
    if (held == 0 || largest < held) continue;
    return nothing_to_do(job,
                         fmt::format("sequence access block {} in base pattern out of bounds (max {}) for file {}",
                                     largest, held - 1, t.path),
                         "raise size=, or write smaller block numbers in random_distribution=sequence");
  }
  return {};
}

// spr_cs=: refuses a cache that is at least as large as a region: the whole region would then fit into it.
base::Expected<void> check_sprandom(const job::Job& job, const std::vector<PlannedTarget>& targets) {
  const auto& sprandom = job.of<job::fields::SpRandom>();
  if (!sprandom.used || sprandom.cache_bytes == 0) return {};
  for (const auto& t : targets) {
    const auto region_bytes = static_cast<std::uint64_t>(
        static_cast<double>(t.length) * (1 + sprandom.over_provisioning) / static_cast<double>(sprandom.regions));
    if (sprandom.cache_bytes < region_bytes) continue;
    return nothing_to_do(job,
                         fmt::format("sprandom: the cache of {} bytes (spr_cs) is as large as a region of {}, {} bytes",
                                     sprandom.cache_bytes, t.path, region_bytes),
                         "write fewer regions in spr_num_regions=, or a smaller spr_cs=");
  }
  return {};
}

// block_error_percentiles=: supports one file, and at most kLifetimeBlocks blocks.
base::Expected<void> check_lifetimes(const job::Job& job, const std::vector<PlannedTarget>& targets) {
  if (!job.of<job::fields::BlockLifetimes>().on) return {};
  const auto refused = [&](std::string cause, std::string help) {
    base::Error e = nothing_to_do(job, std::move(cause), std::move(help));
    e.what = fmt::format("job `{}` cannot have block_error_percentiles=1", job.name);
    return e;
  };
  if (targets.size() != 1)
    return refused(fmt::format("block error histogram only available with a single file per job, but {} files provided",
                               targets.size()),
                   "make a job of each file, or omit it");
  const std::uint64_t block = job.bs_min[io::index(io::Dir::trim)];
  const std::uint64_t blocks = (targets[0].length + block - 1) / block;
  if (blocks <= records::kLifetimeBlocks) return {};
  return refused(
      fmt::format("cannot calculate block histogram with {} trim blocks, maximum {}", blocks, records::kLifetimeBlocks),
      "write a smaller size=, or a larger bs= of trims");
}

// random_generator=tausworthe generates 32-bit numbers.
void note_wide_targets(job::Job& job, const std::vector<PlannedTarget>& targets) {
  if (!job.mode.random || job.of<job::fields::OffsetChoice>().generator != job::fields::Generator::tausworthe) return;
  for (const auto& t : targets) {
    if (t.length / smallest_block(job) <= 1ull << 32) continue;
    job.notes.push_back(fmt::format(
        "file {} exceeds 32-bit tausworthe random generator: switching to tausworthe64, as fio does", t.path));
    return;
  }
}

// What the job asks of a target, and the ability that it needs.
struct Need {
  bool asked, able;
  std::string what;  // "bs=64m", for the message
  std::string cause, help;
};

std::vector<Need> needs_of(const job::Job& job, const engine::Abilities& can) {
  const auto& files = job.of<job::fields::FileOptions>();
  const bool offload = job.of<job::fields::Submit>().offload && job.iodepth > 1;
  const bool at_end = job.end_fsync || files.fsync_on_close;
  const bool syncs = job.fsync_every != 0 || job.fdatasync_every != 0 || at_end;
  const bool durable = job.sync_mode != job::SyncMode::none;
  const auto fits = [](std::uint64_t asked, std::uint64_t most) { return most == 0 || asked <= most; };
  return {
      {job.mode.writes, can.writes, fmt::format("rw={}", job.rw_name), "the target is read-only",
       "write `rw=read` or `rw=randread`"},
      {job.mode.trims, can.trims, fmt::format("rw={}", job.rw_name), "the target does not offer trim",
       "omit the trims, or use a target that offers trim"},
      {job.mode.writes && syncs, can.syncs, "fsync=, fdatasync=, end_fsync= or fsync_on_close=",
       "the target does not offer flush: nothing can make its writes durable",
       "omit the option, or use a target that offers flush"},
      {job.mode.writes && durable, can.durable_writes, "sync=", "the target does not offer writes with FUA",
       "omit sync=, and use fsync= if the target offers flush"},
      {files.range_sync_every != 0, can.syncs_ranges, "sync_file_range=", "the target is not a file", "use fsync="},
      {at_end && offload, can.syncs_ranges, "end_fsync= or fsync_on_close= with io_submit_mode=offload",
       "the flush at the end needs a job with one queue", "omit one of the two"},
      {true, fits(largest_block(job), can.largest_bytes), fmt::format("bs={}", largest_block(job)),
       fmt::format("the target permits at most {} bytes per request", can.largest_bytes), "lower bs="},
      {true, fits(job.iodepth, can.most_in_flight), fmt::format("iodepth={}", job.iodepth),
       fmt::format("the target permits {} requests in flight", can.most_in_flight), "lower iodepth="},
      {true, fits(offload ? job.iodepth : 1, can.most_queues), "io_submit_mode=offload",
       "each of the job's threads opens a queue, and the target permits only one at a time", "omit io_submit_mode="},
  };
}

// Options that only a file of the kernel obeys.
void note_options_of_files(job::Job& job) {
  const auto& files = job.of<job::fields::FileOptions>();
  const std::pair<bool, const char*> given[] = {{job.unlink, "unlink"},
                                                {files.unlink_each_loop, "unlink_each_loop"},
                                                {files.append, "file_append"},
                                                {files.fill_device, "fill_device"},
                                                {files.create_on_open, "create_on_open"},
                                                {files.pre_read, "pre_read"}};
  for (const auto& [is_given, name] : given)
    if (is_given)
      job.ignored.push_back(fmt::format("{} with ioengine={}, whose files are on a server", name, job.ioengine));
}

void note_abilities(job::Job& job, const PlannedTarget& t) {
  const std::uint64_t preferred = t.abilities.preferred_bytes;
  if (preferred > 1 && smallest_block(job) % preferred != 0)
    job.notes.push_back(
        fmt::format("bs={} is not a multiple of {}, the preferred block size of `{}`: a request may cost "
                    "more than one there",
                    smallest_block(job), preferred, t.path));
}

}  // namespace

base::Expected<void> check_abilities(job::Job& job, const std::vector<PlannedTarget>& targets) {
  const auto* known = engine::targets_of(job.ioengine);  // only engines in shared objects report abilities
  if (known == nullptr || known->named_by == nullptr) return {};
  for (const auto& t : targets) {
    for (const Need& need : needs_of(job, t.abilities)) {
      if (!need.asked || need.able) continue;
      base::Error e;
      e.what = fmt::format("{} on `{}`", need.what, t.path);
      e.cause = need.cause;
      e.help = need.help;
      e.place = job.place;
      return e;
    }
    note_abilities(job, t);
  }
  if (std::ranges::any_of(targets, &PlannedTarget::engine_file)) note_options_of_files(job);
  if (!known->named_by(job.engine).empty() && !job.filenames.empty() && !job.replays)
    job.ignored.emplace_back("filename, because another option of the engine names the target");
  return {};
}

base::Expected<void> check_placed(job::Job& job, const std::vector<PlannedTarget>& targets) {
  for (const auto check : {check_sequence, check_sprandom, check_lifetimes})
    if (auto ok = check(job, targets); !ok) return ok;
  note_wide_targets(job, targets);
  return {};
}

base::Expected<void> find_zone_sizes(job::Job& job, const std::vector<PlannedTarget>& targets) {
  const char* const option = job::option_in_zones(job);
  if (option == nullptr) return {};
  std::uint64_t zone_bytes = 0;
  bool alike = true;
  for (const auto& t : targets) {
    auto device = engine::zoned::look_at(t.path, t.kind);
    if (!device) return device.error();
    if (zone_bytes == 0) zone_bytes = device->zone_bytes;
    alike = alike && zone_bytes == device->zone_bytes;
  }
  if (zone_bytes == 0 || !alike)
    return nothing_to_do(job, fmt::format("{} is a number of zones, and the size of a zone is unknown", option),
                         "add zonesize=, or write bytes");
  job::count_zones_as(zone_bytes, job);
  return {};
}

}  // namespace fathom::run::files
