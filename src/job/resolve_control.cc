// Each check is one of fio's, with fio's words where scripts search for them.
#include "job/resolve_control.h"

#include <fmt/format.h>

#include "io/engine_targets.h"
#include "io/engines.h"
#include "job/fields/block_lifetimes.h"
#include "job/fields/errors.h"
#include "job/fields/files.h"
#include "job/fields/flow.h"
#include "job/fields/latency_limits.h"
#include "job/fields/least_rate.h"
#include "job/fields/offset_choice.h"
#include "job/fields/replay.h"
#include "job/fields/start.h"
#include "job/fields/steady.h"
#include "job/fields/submit.h"
#include "job/fields/verify.h"
#include "job/resolve.h"

namespace fathom::job {
namespace {

base::Expected<void> check_least_rates(const Draft& draft, const Assignment& section) {
  const auto& least = draft.job.of<fields::LeastRate>();
  const auto exceeds = [](std::uint64_t min, std::uint64_t rate) { return rate != 0 && min > rate; };
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const bool bytes = exceeds(least.bytes_per_s[d], draft.job.rate_bytes_per_s[d]);
    if (!bytes && !exceeds(least.iops[d], draft.job.rate_iops[d])) continue;
    return error_for(draft, section, bytes ? "rate_min" : "rate_iops_min",
                     fmt::format("minimum rate exceeds rate, ddir {}", d), "the job would always fail",
                     "write a minimum below the rate");
  }
  return {};
}

base::Expected<void> check_ramp(const Draft& draft, const Assignment& section) {
  if (draft.job.ramp_ns == 0 || draft.job.of<fields::Start>().ramp_bytes == 0) return {};
  return error_for(draft, section, "ramp_size", "ramp_time and ramp_size in one job",
                   "a ramp ends after a time or after an amount", "omit one of them");
}

base::Expected<void> check_steady(const Draft& draft, const Assignment& section) {
  const auto& steady = draft.job.of<fields::Steady>();
  if (!steady.asked()) return {};
  if (steady.duration_ns > steady.interval_ns && steady.duration_ns % steady.interval_ns == 0) return {};
  return error_for(
      draft, section, "steadystate_duration",
      "steadystate_duration is not a multiple of steadystate_check_interval, or not larger",
      "steadystate_duration must be a whole number of intervals, at least two",
      fmt::format("write `steadystate_duration={}` or another multiple", 2 * steady.interval_ns / 1'000'000'000));
}

base::Expected<void> check_target(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  if (!job.depth_per_file) return {};
  const char* option = job.of<fields::LatencyTarget>().target_ns != 0            ? "latency_target"
                       : job.of<fields::Flow>().weight != 0                      ? "flow"
                       : job.of<fields::Submit>().serialize                      ? "serialize_overlap"
                       : job.of<fields::Submit>().offload                        ? "io_submit_mode"
                       : job.of<fields::Submit>().lock != fields::FileLock::none ? "lockfile"
                                                                                 : nullptr;
  if (option == nullptr) return {};
  return error_for(draft, section, option, fmt::format("{} with depth_per_file", option),
                   "each file has a separate queue, and this option works with one queue", "write a job per file");
}

// An option of the job that needs one queue, or the order of its I/Os; nullptr: no such option.
const char* unfit_for_lanes(const Job& job) {
  const auto& files = job.of<fields::FileOptions>();
  if (job.verify) return "verify";
  if (job.of<fields::LatencyTarget>().target_ns != 0) return "latency_target";
  if (job.of<fields::OffsetChoice>().num_range > 1) return "num_range";
  if (job.of<fields::BlockLifetimes>().on) return "block_error_percentiles";
  // A lane with its own open files would keep the removed ones.
  if (files.unlink_each_loop && io::traits_of(job.ioengine).moves_position) return "unlink_each_loop";
  if (files.openfiles != 0 && (!files.opendir.empty() || files.openfiles < job.nrfiles)) return "openfiles";
  return nullptr;
}

base::Expected<void> check_offload(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  if (!job.of<fields::Submit>().offload) return {};
  if (io::traits_of(job.ioengine).fake_time)
    return error_for(draft, section, "io_submit_mode",
                     fmt::format("io_submit_mode=offload with ioengine={}", job.ioengine),
                     "each of the job's threads would have a separate clock", "omit it, or use another ioengine=");
  constexpr std::uint32_t kMostLanes = 4096;
  if (job.iodepth > kMostLanes)
    return error_for(draft, section, "iodepth", fmt::format("iodepth={} with io_submit_mode=offload", job.iodepth),
                     "each I/O in flight needs a thread", fmt::format("write {} or less", kMostLanes));
  const char* option = unfit_for_lanes(job);
  if (option == nullptr) return {};
  return error_for(draft, section, option, fmt::format("{} with io_submit_mode=offload", option),
                   "the job has a queue for each I/O, and this option works with one queue", "omit one of the two");
}

// I/Os that cannot overlap need no order. lockfile= submits one I/O at a time, because a file is unlocked when its I/O
// has been submitted.
void resolve_serialize(Draft& draft) {
  Job& job = draft.job;
  if (job.of<fields::Submit>().lock != fields::FileLock::none) job.iodepth_batch = 1;
  if (job.of<fields::Submit>().offload) return;
  const bool moot = job.iodepth <= 1 || !(job.mode.writes || job.mode.trims);
  if (moot && job.of<fields::Submit>().serialize) job.own.get<fields::Submit>().serialize = false;
}

// If latencies are not measured, options that need them are reported as ignored.
void note_lack_of_latencies(Draft& draft) {
  Job& job = draft.job;
  if (!job.gtod_reduce) return;
  const auto& steady = job.of<fields::Steady>();
  const auto ignored = [&](bool asked, const char* option) {
    if (asked) job.ignored.push_back(fmt::format("{} with gtod_reduce=1, which measures no latencies", option));
  };
  ignored(job.of<fields::MaxLatency>().any(), "max_latency");
  ignored(job.of<fields::LatencyTarget>().target_ns != 0, "latency_target");
  ignored(steady.asked() && steady.of == fields::SteadyOf::lat, "steadystate=lat");
}

// Options whose value a replay takes from its trace.
constexpr std::string_view kFromTrace[] = {
    "rw",        "bsrange",     "bssplit",     "bs_unaligned", "size",          "io_size",
    "filesize",  "offset",      "filename",    "directory",    "nrfiles",       "opendir",
    "openfiles", "filetype",    "rwmixread",   "number_ios",   "loops",         "time_based",
    "rate",      "rate_iops",   "rate_min",    "thinktime",    "rate_iops_min", "verify",
    "fsync",     "fdatasync",   "zonemode",    "ramp_time",    "ramp_size",     "create_only",
    "num_range", "file_append", "fill_device", "sprandom",     "write_barrier", "offset_increment"};

// The values of these options that would act on a replay.
void reset_for_replay(Draft& draft) {
  Job& job = draft.job;
  const Job plain;
  draft.bsrange = {};
  job.mode = plain.mode;
  job.rw_name = plain.rw_name;
  job.bssplit = {};
  job.bs_unaligned = job.time_based = job.verify = job.verify_only = job.create_only = false;
  job.size = job.io_size = job.offset = job.offset_increment = {};
  job.filesize_min = job.filesize_max = job.number_ios = job.ramp_ns = job.thinktime_ns = job.thinktime_spin_ns = 0;
  job.filenames.clear();
  job.directories.clear();
  job.nrfiles = 1;
  job.loops = 1;
  job.rate_bytes_per_s = {};
  job.rate_iops = {};
  job.fsync_every = job.fdatasync_every = 0;
  job.own.get<fields::Start>().ramp_bytes = 0;
  job.own.get<fields::LeastRate>() = {};
  job.own.get<fields::SpRandom>() = {};
  job.own.get<fields::StridedZones>() = {};
  job.own.get<fields::ZonedDevice>() = {};
  job.own.get<fields::OffsetChoice>().num_range = 1;
  auto& files = job.own.get<fields::FileOptions>();
  files.opendir.clear();
  files.append = files.fill_device = files.unlink_each_loop = false;
  files.openfiles = files.barrier_every = files.range_sync_every = 0;
  files.type = fields::FileOptions().type;
}

}  // namespace

base::Expected<void> resolve_replay(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& replay = std::as_const(job).of<fields::Replay>();
  if (!replay.used()) {
    for (const std::string_view name :
         {"read_iolog_chunked", "replay_no_stall", "replay_redirect", "replay_scale", "replay_align", "replay_skip",
          "replay_time_scale", "replay_wait", "replay_loop", "merge_blktrace_file", "merge_blktrace_scalars",
          "merge_blktrace_iters"})
      if (draft.find(name) != nullptr) job.ignored.push_back(fmt::format("{} without read_iolog", name));
    return {};
  }
  if (replay.closed() && (job.gtod_reduce || (job.disable_clat && job.disable_lat && job.disable_slat)))
    return error_for(draft, section, job.gtod_reduce ? "gtod_reduce" : "disable_lat",
                     "replay_loop=closed in a job that takes no times",
                     "in a closed loop, an I/O starts a recorded time after a completion", "omit one of the two");
  if (!replay.merges())
    for (const std::string_view name : {"merge_blktrace_scalars", "merge_blktrace_iters"})
      if (draft.find(name) != nullptr) job.ignored.push_back(fmt::format("{} without merge_blktrace_file", name));
  const auto targets = io::targets_are(job.ioengine);
  const char* const unfit = job.depth_per_file                    ? "depth_per_file"
                            : job.of<fields::Submit>().offload    ? "io_submit_mode"
                            : job.of<fields::BlockLifetimes>().on ? "block_error_percentiles"
                            : targets == io::TargetsAre::nothing || targets == io::TargetsAre::names ? "ioengine"
                                                                                                     : nullptr;
  if (unfit != nullptr)
    return error_for(draft, section, unfit, fmt::format("read_iolog with {}", unfit),
                     "a replay issues the I/Os of a trace from one queue, on files or devices", "omit one of the two");
  for (const auto name : kFromTrace)
    if (draft.find(name) != nullptr)
      job.ignored.push_back(fmt::format("{} of a replay: the trace decides{}", name,
                                        name == "filename" ? " (replay_redirect= names a target)" : ""));
  reset_for_replay(draft);
  job.replays = true;
  job.own.get<fields::Replay>().depth_given = draft.find("iodepth") != nullptr;
  return {};
}

base::Expected<void> resolve_control(Draft& draft, const Assignment& section) {
  note_lack_of_latencies(draft);
  resolve_serialize(draft);
  for (const auto check : {check_least_rates, check_ramp, check_steady, check_target, check_offload})
    if (auto done = check(draft, section); !done) return done;
  return {};
}

base::Expected<void> find_waitee(Draft& draft, const Assignment& section, const std::vector<Job>& before) {
  const Job& job = draft.job;
  const std::string name = job.of<fields::Start>().wait_for;
  if (name.empty()) return {};
  const auto wrong_waitee = [&](std::string what, std::string help) {
    return error_for(draft, section, "wait_for", std::move(what),
                     "the option names one job, which must be before this job", std::move(help));
  };
  if (name == job.name)
    return wrong_waitee(fmt::format("{}: a job cannot wait for itself (wait_for={}).", job.name, name),
                        "name another job, or omit it");
  int found = -1;
  for (const auto& other : before) {
    if (other.name != name || other.section == found) continue;
    if (found >= 0) return wrong_waitee(fmt::format("multiple waitees {} found", name), "give each job a unique name");
    found = other.section;
  }
  if (found < 0) return wrong_waitee(fmt::format("{}: waitee job {} unknown.", job.name, name), "put that job first");
  draft.job.own.get<fields::Start>().wait_section = found;
  return {};
}

base::Expected<void> check_group(const Draft& draft, const Assignment& section, int group,
                                 const std::vector<Job>& before) {
  const Job& job = draft.job;
  if (before.empty() || !job.group_reporting) return {};
  const Job& last = before.back();
  if (!last.group_reporting || last.group_id != group || last.of<fields::Steady>() == job.of<fields::Steady>())
    return {};
  return error_for(draft, section, "steadystate_duration",
                   "job rejected: steadystate options must be consistent within reporting groups",
                   fmt::format("`{}` and `{}` are reported as one group, and end together", last.name, job.name),
                   "write them in [global]");
}

namespace {

struct InZones {
  const char* option;
  SizeOrPercent Job::*member;
  std::uint64_t fields::SizesInZones::*zones;
};
constexpr InZones kInZones[] = {{"size", &Job::size, &fields::SizesInZones::size},
                                {"io_size", &Job::io_size, &fields::SizesInZones::io_size},
                                {"offset", &Job::offset, &fields::SizesInZones::offset},
                                {"offset_increment", &Job::offset_increment, &fields::SizesInZones::offset_increment}};

// A zone size without zonemode= requests strided zones.
base::Expected<void> resolve_strided(Draft& draft, const Assignment& section) {
  auto& zones = draft.job.own.get<fields::StridedZones>();
  zones.used = true;
  if (zones.range_bytes == 0) zones.range_bytes = zones.zone_bytes;
  if (const auto count = std::as_const(draft.job).of<fields::SizesInZones>().skip; count != 0)
    zones.skip_bytes = count * zones.zone_bytes;
  count_zones_as(zones.zone_bytes, draft.job);
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (zones.range_bytes < draft.job.bs_max[d])
      return error_for(draft, section, "zonerange",
                       fmt::format("a zone of {} bytes is smaller than a block", zones.range_bytes),
                       fmt::format("the largest block is {} bytes", draft.job.bs_max[d]),
                       "make zonerange or zonesize larger, or bs smaller");
  return {};
}

// An option that zonemode=zbd does not support; nullptr: none.
const char* unfit_for_zones(const Job& job) {
  const auto& verify = job.of<fields::VerifyOptions>();
  if (job.depth_per_file) return "depth_per_file";
  if (job.of<fields::Submit>().offload) return "io_submit_mode";
  if (job.of<fields::Submit>().lock != fields::FileLock::none) return "lockfile";
  if (job.of<fields::OffsetChoice>().num_range > 1) return "num_range";
  if (job.of<fields::BlockLifetimes>().on) return "block_error_percentiles";
  if (job.verify && job.verify_only) return "verify_only";
  if (job.verify && verify.state_load) return "verify_state_load";
  if (job.verify && verify.trims_between()) return "trim_percentage";
  if (job.verify && job.mode.trims && job.mode.writes) return "verify";
  if (job.verify && job.mode.writes && job.time_based) return "time_based";
  return nullptr;
}

base::Expected<void> check_combination(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  const auto& zones = job.of<fields::ZonedDevice>();
  const auto refuse = [&](const char* option, std::string what, const char* cause, const char* help) {
    return error_for(draft, section, option, std::move(what), cause, help);
  };
  if (!job.of<fields::FileOptions>().create_serialize)
    return refuse("create_serialize", "zonemode=zbd with create_serialize=0",
                  "fio: --zonemode=zbd and --create_serialize=0 are not compatible", "omit create_serialize=0");
  if (job.of<fields::VerifyOptions>().experimental)
    return refuse("experimental_verify", "zonemode=zbd does not support experimental verify",
                  "the writes do not follow from the seed alone", "omit experimental_verify=");
  if (zones.write_remainder && draft.find("norandommap") != nullptr && !job.norandommap)
    return refuse("write_zone_remainder", "fio: write_zone_remainder=1 requires norandommap=1",
                  "a write of another size does not fit the map", "omit norandommap=0");
  const bool mixed_trims = job.bs_min[2] != job.bs_max[2] || !job.bssplit[2].empty();
  if (job.mode.trims && mixed_trims)
    return refuse("bs", "bsrange and bssplit are not allowed for trim with zonemode=zbd",
                  "a trim resets one whole zone", "write one bs= for trims, the size of a zone");
  if (const char* option = unfit_for_zones(job); option != nullptr) {
    auto e = refuse(option, fmt::format("{} with zonemode=zbd", option), "this combination is not built in fathom",
                    "omit one of the two");
    e.kind = base::ErrorKind::not_built;
    return e;
  }
  return {};
}

base::Expected<void> check_recovery(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  if (!job.of<fields::ZonedDevice>().recover_write_error || !job.mode.writes) return {};
  if (job.of<fields::Errors>().goes_on == 0)
    return error_for(draft, section, "recover_zbd_write_error",
                     "recover_zbd_write_error works only when continue_on_error is set",
                     "the job ends after its first failed write", "add `continue_on_error=write`");
  if (job.verify && io::traits_of(job.ioengine).asynchronous)
    return error_for(draft, section, "recover_zbd_write_error",
                     "recover_zbd_write_error for async IO engines does not support verify",
                     "the recovery fills the zone with zeroes", "use a synchronous engine, or omit verify=");
  return {};
}

// A trim is a zone reset, which the engine passes to the device.
base::Expected<void> check_trims(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  const auto& engine = io::traits_of(job.ioengine);
  const bool resets = engine.needs_files && (!engine.passes_commands || engine.requests_of_ring);
  if (!job.mode.trims || resets || engine.does_nothing) return {};
  auto e = error_for(draft, section, "rw", fmt::format("rw={} of zones with ioengine={}", job.rw_name, job.ioengine),
                     "this engine has no zone reset in fathom", "use an engine of the kernel's files, such as psync");
  e.kind = base::ErrorKind::not_built;
  return e;
}

void note_unused(Draft& draft) {
  Job& job = draft.job;
  const auto& zones = std::as_const(job).of<fields::ZonedDevice>();
  if (draft.find("zonerange") != nullptr) job.ignored.push_back("zonerange with zonemode=zbd");
  if (draft.find("zoneskip") != nullptr && job.mode.random)
    job.ignored.push_back("zoneskip of a random job with zonemode=zbd");
  if (zones.job_max_open_zones != 0 && !job.mode.writes)
    job.notes.push_back("'job_max_open_zones' is valid only for write jobs");
}

base::Expected<void> resolve_zoned_device(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  for (const auto check : {check_combination, check_recovery, check_trims})
    if (auto done = check(draft, section); !done) return done;
  note_unused(draft);
  const auto strided = std::exchange(job.own.get<fields::StridedZones>(), {});
  auto& zones = job.own.get<fields::ZonedDevice>();
  zones.zone_bytes = strided.zone_bytes;
  zones.skip_bytes = job.mode.random ? 0 : strided.skip_bytes;
  if (job.mode.random) job.own.get<fields::SizesInZones>().skip = 0;
  if (zones.write_remainder) job.norandommap = true;
  if (!job.mode.writes) zones.job_max_open_zones = 0;
  if (zones.zone_bytes != 0) count_zones_as(zones.zone_bytes, job);
  return {};
}

constexpr std::string_view kOfZbd[] = {"zonecapacity",         "read_beyond_wp",          "max_open_zones",
                                       "job_max_open_zones",   "ignore_zone_limits",      "zone_reset_threshold",
                                       "zone_reset_frequency", "recover_zbd_write_error", "write_zone_remainder"};

}  // namespace

void count_zones_as(std::uint64_t zone_bytes, Job& job) {
  const auto counts = std::exchange(job.own.get<fields::SizesInZones>(), {});
  for (const auto& in_zones : kInZones)
    if (const auto count = counts.*in_zones.zones; count != 0) job.*in_zones.member = {count * zone_bytes, 0, true};
  if (counts.skip != 0) job.own.get<fields::ZonedDevice>().skip_bytes = counts.skip * zone_bytes;
}

const char* option_in_zones(const Job& job) {
  const auto& counts = job.of<fields::SizesInZones>();
  for (const auto& in_zones : kInZones)
    if (counts.*in_zones.zones != 0) return in_zones.option;
  return counts.skip != 0 ? "zoneskip" : nullptr;
}

base::Expected<void> resolve_zones(Draft& draft, const Assignment& section) {
  const auto& strided = std::as_const(draft.job).of<fields::StridedZones>();
  const auto& zoned = std::as_const(draft.job).of<fields::ZonedDevice>();
  if (zoned.used) return resolve_zoned_device(draft, section);
  for (const auto option : kOfZbd)
    if (draft.find(option) != nullptr) draft.job.ignored.push_back(fmt::format("{} without zonemode=zbd", option));
  const bool named = draft.find("zonemode") != nullptr;
  if (named && !strided.used && strided.zone_bytes != 0)
    return error_for(draft, section, "zonesize", "zonesize with zonemode=none",
                     "fio: --zonemode=none and --zonesize are not compatible",
                     "write `zonemode=strided` or `zonemode=zbd`, or omit zonesize");
  if (named && strided.used && strided.zone_bytes == 0)
    return error_for(draft, section, "zonemode", "zonemode=strided without zonesize",
                     "fio: --zonesize must be specified when using --zonemode=strided",
                     "add for example `zonesize=1g`");
  if (strided.used || strided.zone_bytes != 0) return resolve_strided(draft, section);
  const char* const option = option_in_zones(draft.job);
  if (option == nullptr) return {};
  return error_for(draft, section, option, fmt::format("{} as a number of zones, in a job without zones", option),
                   "`z` counts zones", "write bytes, or add zonemode= and zonesize=");
}

}  // namespace fathom::job
