// Each step decides one thing. The order matters only where a comment states it.
#include "job/resolve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "io/cmdprio.h"
#include "io/data_placement.h"
#include "io/engine_effects.h"
#include "io/engine_targets.h"
#include "io/engines.h"
#include "job/draft.h"
#include "job/fields/contents.h"
#include "job/fields/cpus.h"
#include "job/fields/files.h"
#include "job/fields/logs.h"
#include "job/fields/offset_choice.h"
#include "job/fields/report_as.h"
#include "job/fields/verify.h"
#include "job/option.h"
#include "job/resolve_control.h"

namespace fathom::job {
namespace {

// cmdprio_*: the numbered list of priorities that a job's I/Os may have, and the options that exclude each other.

base::Expected<void> resolve_cmdprio(Draft& draft, const Assignment& section);

base::Expected<void> resolve_cmdprio(Draft& draft, const Assignment& section) {
  const io::CmdprioOptions& given = std::as_const(draft.job.engine).of<io::CmdprioOptions>();
  bool by_chance = false, by_size = false;
  for (std::size_t d = 0; d < 2; ++d) {
    by_chance = by_chance || given.percentage[d] != 0;
    by_size = by_size || !given.split[d].empty();
  }
  if ((!by_chance && !by_size) || !find_option("cmdprio_percentage")->of_engine(draft.job.ioengine)) return {};
  if (by_chance && by_size)
    return error_for(draft, section, "cmdprio_bssplit",
                     "cmdprio_percentage and cmdprio_bssplit options are mutually exclusive",
                     "the priority of an I/O depends either on chance or on its size", "omit one of them");
  auto& own = draft.job.engine.own.get<io::CmdprioOptions>();
  const auto add = [&](const io::CmdprioOptions::Of& of) {
    if (std::find(own.values.begin(), own.values.end(), of) == own.values.end()) own.values.push_back(of);
  };
  for (std::size_t d = 0; d < 2; ++d) {
    if (own.percentage[d] != 0) add(own.common(d));
    for (auto& entry : own.split[d]) {
      if (!entry.own) entry.of = own.common(d);
      add(entry.of);
    }
  }
  if (own.values.size() > io::kMostPriorities)
    return error_for(draft, section, "cmdprio_bssplit", fmt::format("{} different priorities", own.values.size()),
                     fmt::format("a job can have at most {}", io::kMostPriorities), "name fewer");
  return {};
}

// The requirements of dedupe_mode=working_set for the other options of a job.

base::Expected<void> resolve_contents(Draft& draft, const Assignment& section);

base::Expected<void> resolve_contents(Draft& draft, const Assignment& section) {
  const auto& contents = draft.job.of<fields::ContentOptions>();
  if (contents.dedupe_percent == 0 || contents.dedupe_mode != fields::DedupeMode::working_set) return {};
  if (!draft.job.size.set)
    return error_for(draft, section, "dedupe_mode", "dedupe_mode=working_set needs size=",
                     "the working set is a share of size=", "add size=, for example size=1g");
  if (draft.job.nrfiles > 1)
    return error_for(draft, section, "dedupe_mode", "dedupe_mode=working_set is for jobs of one file",
                     fmt::format("this job has {}", draft.job.nrfiles), "write a job for each file");
  if (contents.dedupe_percent + contents.working_set_percent > 100)
    return error_for(draft, section, "dedupe_working_set_percentage",
                     fmt::format("dedupe_percentage={} and dedupe_working_set_percentage={} are more than 100",
                                 contents.dedupe_percent, contents.working_set_percent),
                     "the new blocks have to fill the working set", "lower one of the two");
  return {};
}

// The requirements of the options in job/fields/files.h for the other options of a job.

base::Expected<void> resolve_files(Draft& draft, const Assignment& section);

// Files that are opened and closed during the run, and options that must know all files before the start.
base::Expected<void> check_openfiles(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& files = job.of<fields::FileOptions>();
  if (files.openfiles == 0 || (files.opendir.empty() && files.openfiles >= job.nrfiles)) return {};
  const auto refuse = [&](const char* why, const char* help) {
    return error_for(draft, section, "openfiles", fmt::format("openfiles={} in a job with more files", files.openfiles),
                     why, help);
  };
  if (io::traits_of(job.ioengine).maps_files)
    return refuse("the engine maps all files before the start", "omit openfiles=, or use another ioengine=");
  const auto* registers = draft.find("registerfiles");
  const auto* polls = draft.find("sqthread_poll");
  if ((registers != nullptr && registers->value != "0") || (polls != nullptr && polls->value != "0"))
    return refuse("all registered files are open before the start (sqthread_poll registers the files)",
                  "omit openfiles= or registerfiles=");
  job.iodepth_batch = 1;
  return {};
}

base::Expected<void> resolve_files(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& files = job.of<fields::FileOptions>();
  if (files.fill_device && !job.size.set && job.mode.random && job.mode.writes)
    return error_for(draft, section, "fill_device",
                     "fill_device of a random job needs size=", "the blocks are not known until no space is left",
                     "write `rw=write`, or give size=");
  const auto& engine = io::traits_of(job.ioengine);
  if (files.range_sync_every != 0 && (engine.passes_commands || engine.threads_only))
    return error_for(draft, section, "sync_file_range",
                     fmt::format("engine {} does not support sync_file_range=", job.ioengine),
                     "sync_file_range(2) works only on files", "write `fsync=` or `fdatasync=`");
  return check_openfiles(draft, section);
}

// The rules between the options of logs.

base::Expected<void> resolve_logs(Draft& draft, const Assignment& section);

// The clocks of linux/time.h, without the dynamic clocks of single processes. Number 10 is no longer implemented.
constexpr std::uint32_t kClocks[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11};

// A quantity that a log averages is sampled at the same interval for the report: the interval of the log's lines, or a
// shorter one if requested.
void sample_as_logged(const Draft& draft, std::string_view option, std::uint32_t& width_ms) {
  const std::uint64_t line_ms = std::min<std::uint64_t>(draft.job.of<fields::Logs>().avg_msec, ~std::uint32_t{0});
  if (line_ms == 0 || (draft.find(option) != nullptr && width_ms < line_ms)) return;
  width_ms = static_cast<std::uint32_t>(line_ms);
}

base::Expected<void> resolve_logs(Draft& draft, const Assignment& section) {
  const fields::Logs& logs = draft.job.of<fields::Logs>();
  auto& as = draft.job.own.get<fields::ReportAs>();
  if (logs.bw) sample_as_logged(draft, "bwavgtime", as.bw_window_ms);
  if (logs.iops) sample_as_logged(draft, "iopsavgtime", as.iops_window_ms);
  if (!logs.iolog.empty() && draft.job.gtod_reduce)
    return error_for(draft, section, "write_iolog", "write_iolog with gtod_reduce=1",
                     "the log needs the time of each I/O", "omit one of them");
  if (!logs.iolog.empty() && draft.numjobs > 1)
    return error_for(draft, section, "write_iolog", fmt::format("one write_iolog for {} jobs", draft.numjobs),
                     "the I/Os of several jobs in one log have no common order or files",
                     "write a job section with its own write_iolog= for each");
  if (logs.issue_time && !(logs.lat && logs.offset))
    return error_for(draft, section, "log_issue_time",
                     "log_issue_time option requires write_lat_log and log_offset options",
                     "the issue time is a column of latency logs, after the offset column",
                     "add `write_lat_log` and `log_offset=1`, or omit it");
  const bool there = std::find(std::begin(kClocks), std::end(kClocks), logs.epoch_clock) != std::end(kClocks);
  if (logs.alternate_epoch && !there)
    return error_for(
        draft, section, "log_alternate_epoch_clock_id", fmt::format("clock {} does not exist", logs.epoch_clock),
        "clock_gettime(2) does not support this clock", "write 0 for the time of day, 1 for CLOCK_MONOTONIC");
  return {};
}

// The requirements of verify= for the other options of a job.

// Sets the interval of the headers, and refuses jobs that cannot be verified. The job's block sizes are resolved.
base::Expected<void> resolve_verify(Draft& draft, const Assignment& section);

// As in fio, twice the size of a header.
std::uint64_t smallest_interval(const Job& job) {
  return job.of<fields::VerifyOptions>().format == fields::VerifyFormat::fio_3_33 ? 80 : 96;
}

std::uint64_t common_divisor(const Job& job) {
  if (job.bs_unaligned) return 1;
  std::uint64_t divisor = static_cast<std::uint64_t>(std::llabs(job.mode.sequential_add));
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!used[d]) continue;
    divisor = std::gcd(std::gcd(divisor, job.bs_min[d]), job.bs_max[d]);
    divisor = std::gcd(divisor, job.blockalign[d]);
  }
  return divisor;
}

base::Expected<void> resolve_interval(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const std::uint64_t divisor = common_divisor(job), smallest = smallest_interval(job);
  if (divisor < smallest)
    return error_for(draft, section, "verify", "these blocks cannot be verified",
                     fmt::format("no size of {} bytes or more divides all block sizes and alignments of the job: "
                                 "blocks that overlap would destroy each other's headers",
                                 smallest),
                     "write block sizes that are multiples of 512, without bs_unaligned");
  if (job.verify_interval == 0) job.verify_interval = divisor;
  if (job.verify_interval < smallest)
    return error_for(
        draft, section, "verify_interval", fmt::format("verify_interval={} is too short", job.verify_interval),
        "a header takes half of the interval or more", fmt::format("write `verify_interval={}` or more", smallest));
  if (divisor % job.verify_interval == 0) return {};
  job.notes.push_back(fmt::format("verify_interval={} does not divide the job's blocks: {} is used, as fio does",
                                  job.verify_interval, divisor));
  job.verify_interval = divisor;
  return {};
}

bool keeps_nothing(const Job& job) {
  const auto& engine = io::traits_of(job.ioengine);
  return !engine.needs_files || !engine.keeps_data;
}

// As in fio, verification passes for an engine that keeps no data. An engine that does nothing, or that has simulated
// time, still reads the writes back.
void verify_nothing(Job& job) {
  const auto& engine = io::traits_of(job.ioengine);
  job.notes.push_back(
      fmt::format("verify= with ioengine={}: it keeps no data, so nothing is checked, as in fio", job.ioengine));
  job.verify = engine.does_nothing || engine.fake_time;
}

// Checks jobs that read back or trim between the writes, or that compare the order of fsyncs and writes.
base::Expected<void> check_between(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  auto& verify = job.own.get<fields::VerifyOptions>();
  const bool fsynced = verify.policy == fields::VerifyPolicy::fsynced;
  const char* const between = verify.reads_between()      ? "verify_backlog"
                              : verify.trims_between()    ? "trim_backlog"
                              : fsynced                   ? "verify_policy"
                              : verify.async_threads != 0 ? "verify_async"
                              : job.mode.trims            ? "rw"
                                                          : nullptr;
  if (between != nullptr && job.depth_per_file)
    return error_for(draft, section, between, "verifying between the writes with depth_per_file",
                     "each file has a separate queue, and this option works with one queue", "write a job per file");
  if (verify.trims_between() && !io::traits_of(job.ioengine).trims)
    return error_for(draft, section, "trim_backlog", fmt::format("engine {} cannot trim", job.ioengine),
                     "trim_percentage and trim_backlog trim written blocks",
                     "omit the two options, or use ioengine=psync");
  const auto* const fua = draft.find("writefua");
  if (fsynced && fua != nullptr && fua->value != "0")
    return error_for(draft, section, "verify_policy", "verify_policy=fsynced with writefua=1",
                     "every completed write is on the medium, and an fsync adds nothing",
                     "write `verify_policy=completed`, or omit writefua=");
  return {};
}

base::Expected<void> resolve_verify(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  // As in fio, a pattern alone requests verification by header and pattern.
  if (!job.verify && draft.find("verify") == nullptr && !job.of<fields::VerifyOptions>().pattern_parts.empty())
    job.verify = true;
  if (job.verify_only && !job.verify && job.mode.destructive())
    return error_for(draft, section, "verify_only", "verify_only in a job that does not verify",
                     "the job has nothing to check, and verify_only forbids writes",
                     "add verify=crc32c, or omit verify_only");
  if (!job.verify) return {};
  if (keeps_nothing(job)) {
    verify_nothing(job);
    if (!job.verify) return {};
  }
  if (auto ok = check_between(draft, section); !ok) return ok;
  if (job.verify_only && job.mode.writes && job.time_based && !job.of<fields::VerifyOptions>().state_load)
    return error_for(draft, section, "verify_only", "verify_only in a job that ends by its time",
                     "the amount that such a job wrote is not known",
                     "write verify_state_load=1, or omit time_based and give size= or number_ios=");
  return resolve_interval(draft, section);
}

}  // namespace

base::Error error_for(const Draft& draft, const Assignment& section, std::string_view option, std::string what,
                      std::string cause, std::string help) {
  const auto* applied = draft.find(option);
  return usage_error(std::move(what), std::move(cause), std::move(help),
                     applied ? value_place(applied->assignment) : key_place(section));
}

namespace {

base::Error not_of_engine(const Row& option, std::string_view engine, const Assignment& a) {
  const auto engines = option.texts.engines;
  return usage_error(fmt::format("`{}`: engine {} does not have this option", option.name(), engine),
                     fmt::format("the option belongs to {}; this job uses {}", engines, engine),
                     fmt::format("omit the option, or write `ioengine={}`", engines.substr(0, engines.find(' '))),
                     key_place(a));
}

base::Expected<void> check_engine_options(Draft& draft) {
  const auto& engine = draft.job.ioengine;
  for (const auto& a : draft.inherited)
    if (is_built(a.option) && !a.option->of_engine(engine))
      draft.job.ignored.push_back(
          fmt::format("{} of [global]: engine {} does not have this option", a.option->name(), engine));
  for (const bool of_built : {true, false})
    for (const auto& a : draft.applied)
      if (is_built(a.option) == of_built && !a.option->of_engine(engine))
        return not_of_engine(*a.option, engine, a.assignment);
  if (!io::traits_of(engine).passes_commands) return {};
  if (draft.job.engine.vectored)
    draft.job.ignored.push_back(fmt::format("nonvectored=0: engine {} has no vectored commands", engine));
  return {};
}

void resolve_block_sizes(Draft& draft) {
  Job& job = draft.job;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto& range = draft.bsrange[d];
    job.bs_min[d] = range.high ? range.low : draft.bs[d];
    job.bs_max[d] = range.high ? range.high : draft.bs[d];
    if (!job.bssplit[d].empty()) {
      const auto by_size = [](const BlockSplit& a, const BlockSplit& b) { return a.bytes < b.bytes; };
      const auto [low, high] = std::minmax_element(job.bssplit[d].begin(), job.bssplit[d].end(), by_size);
      job.bs_min[d] = low->bytes;
      job.bs_max[d] = high->bytes;
    }
    const bool aligned = job.mode.random && job.blockalign[d] != 0 && job.blockalign[d] != job.bs_min[d];
    if (aligned) job.norandommap = true;
    if (!aligned) job.blockalign[d] = job.bs_min[d];
  }
}

// A dataset management command has up to 256 ranges. The kernel's discard calls have one.
base::Expected<void> check_num_range(Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  const auto ranges = job.of<fields::OffsetChoice>().num_range;
  if (ranges == 1) return {};
  const std::string what = fmt::format("num_range={}", ranges);
  if (!job.mode.trims) {
    draft.job.ignored.push_back(what + " of a job that does not trim");
    return {};
  }
  if (!io::traits_of(job.ioengine).passes_commands)
    return error_for(draft, section, "num_range", fmt::format("{} with engine {}", what, job.ioengine),
                     "the engine trims with system calls, which accept one range",
                     "write `ioengine=io_uring_cmd`, or `ioengine=sg` for a SCSI disk");
  if (job.mode.trim_then_write)
    return error_for(draft, section, "num_range", fmt::format("{} with rw={}", what, job.rw_name),
                     "a write to the same blocks follows each trim", "write `rw=trim` or `rw=randtrim`");
  if (job.bs_max[2] * ranges >= std::uint64_t{1} << 31)
    return error_for(draft, section, "num_range", fmt::format("{} of {} bytes each", what, job.bs_max[2]),
                     "a request must be smaller than 2 GiB", "lower num_range= or bs=");
  return {};
}

// As in fio, sprandom sets the options that it needs, unless they are given. The job writes (1 + spr_op) times its
// size.
base::Expected<void> resolve_sprandom(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  const auto& sprandom = std::as_const(job).of<fields::SpRandom>();
  if (!sprandom.used) return {};
  const auto generator = std::as_const(job).of<fields::OffsetChoice>().generator;
  const auto unfit = [&](const char* cause, const char* help) {
    return error_for(draft, section, "sprandom", "sprandom=1 does not fit this job", cause, help);
  };
  if (!job.mode.random || !job.mode.writes || job.mode.reads || job.mode.trims)
    return unfit("sprandom=1 is an order of random writes", "write `rw=randwrite`");
  if (draft.find("random_generator") == nullptr) {
    job.own.get<fields::OffsetChoice>().generator = fields::Generator::lfsr;
    job.notes.push_back("sprandom=1: random_generator=lfsr is set");
  } else if (generator != fields::Generator::lfsr) {
    return unfit("sprandom requires random generator to be lfsr", "write `random_generator=lfsr`, or omit it");
  }
  if (draft.find("norandommap") == nullptr) {
    job.norandommap = true;
    job.notes.push_back("sprandom=1: norandommap=1 is set");
  } else if (!job.norandommap) {
    return unfit("sprandom requires norandommap=1: it writes blocks twice", "write `norandommap=1`, or omit it");
  }
  if (job.distribution[1].kind != pattern::Kind::uniform ||
      !std::as_const(job).of<fields::OffsetChoice>().sequence.empty())
    return unfit("random_distribution= is another order", "omit random_distribution=");
  if (std::as_const(job).of<fields::StridedZones>().used || std::as_const(job).of<fields::ZonedDevice>().used)
    return unfit("zones are another order", "omit the zones");
  if (job.bs_min[1] != job.bs_max[1]) return unfit("sprandom=1 needs one block size", "write one `bs=`");
  if (!job.io_size.set) job.io_size = {0, 100 * (1 + sprandom.over_provisioning), true};
  return {};
}

// fio accepts 0 for these numbers. A job with no copy, no pass or no file would do nothing, so that it has one.
void replace_zeroes(Draft& draft) {
  Job& job = draft.job;
  const auto one = [&](const char* option, auto& number) {
    if (number != 0) return;
    number = 1;
    job.notes.push_back(fmt::format("{}=0 is read as 1", option));
  };
  one("numjobs", draft.numjobs);
  one("loops", job.loops);
  one("nrfiles", job.nrfiles);
  one("thinktime_blocks", job.thinktime_blocks);
  const auto& as = std::as_const(job).of<fields::ReportAs>();
  if (as.bw_window_ms == 0) one("bwavgtime", job.own.get<fields::ReportAs>().bw_window_ms);
  if (as.iops_window_ms == 0) one("iopsavgtime", job.own.get<fields::ReportAs>().iops_window_ms);
  const auto& choice = std::as_const(job).of<fields::OffsetChoice>();
  if (choice.num_range == 0) one("num_range", job.own.get<fields::OffsetChoice>().num_range);
}

void resolve_depth(Job& job) {
  if (job.iodepth_batch == 0 || job.iodepth_batch > job.iodepth) job.iodepth_batch = job.iodepth;
  job.iodepth_batch_complete_min = std::min(job.iodepth_batch_complete_min, job.iodepth);
  if (job.iodepth_batch_complete_max != 0)
    job.iodepth_batch_complete_max =
        std::clamp(job.iodepth_batch_complete_max, std::max(job.iodepth_batch_complete_min, 1u), job.iodepth);
  if (job.iodepth_low >= job.iodepth) job.iodepth_low = 0;
  job.engine.iodepth = job.iodepth;
  job.engine.direct = job.direct;
  job.engine.has_writes = job.changes_targets();
}

void resolve_measuring(Job& job) {
  if (job.disable_lat) job.lat_percentiles = false;
  if (job.disable_clat) job.clat_percentiles = false;
  if (job.disable_slat) job.slat_percentiles = false;
}

void resolve_time(Job& job) {
  job.thinktime_spin_ns = std::min(job.thinktime_spin_ns, job.thinktime_ns);
  if (job.time_based && job.runtime_ns != 0 && job.number_ios != 0)
    job.notes.push_back("time_based=1: number_ios= is ignored, as in fio; omit time_based to stop after that number");
  if (!job.time_based || job.runtime_ns != 0) return;
  job.time_based = false;
  job.ignored.push_back("time_based=1 without runtime");
}

base::Expected<void> check_placement(const Draft& draft, const Assignment& section) {
  const auto& engine = draft.job.ioengine;
  if (draft.job.engine.of<io::DataPlacementOptions>().kind == io::Placement::none) return {};
  if (io::traits_of(engine).passes_commands) return {};
  return error_for(draft, section, draft.find("dataplacement") != nullptr ? "dataplacement" : "fdp",
                   fmt::format("engine {} cannot pass a placement to a device", engine),
                   "placements are bits of NVMe commands, which only passthrough sets",
                   "write `ioengine=io_uring_cmd`, or omit it");
}

// Applies the engine's effects on the job: some engines have no sizes, some do one I/O per file.
base::Expected<void> resolve_engine(Draft& draft, const Assignment& section) {
  constexpr std::uint64_t kEndless = std::uint64_t{1} << 50;
  Job& job = draft.job;
  if (const auto problem = settle_engine_options(job))
    return error_for(draft, section, "ioengine", problem->what, problem->cause, problem->help);
  const auto& effects = job.engine.of<io::EngineEffects>();
  job.ignored.insert(job.ignored.end(), effects.ignored.begin(), effects.ignored.end());
  if (const auto pause_ns = effects.pause_ns; pause_ns != 0) {
    job.thinktime_ns = pause_ns;
    job.thinktime_spin_ns = 0;
    job.thinktime_blocks = 1;
  }
  const auto targets = io::targets_are(job.ioengine);
  if (targets != io::TargetsAre::nothing && targets != io::TargetsAre::names) return {};
  job.size = job.io_size = job.offset = job.offset_increment = {};
  job.filesize_min = job.filesize_max = 0;
  if (targets == io::TargetsAre::nothing) job.size = {kEndless, 0, true};
  return {};
}

base::Expected<void> check_rates(Draft& draft, const Assignment& section) {
  bool bytes = false, ios = false;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    bytes |= draft.job.rate_bytes_per_s[d] != 0;
    ios |= draft.job.rate_iops[d] != 0;
  }
  const auto& rates = draft.job.rate_iops;
  if (ios && draft.job.mode.mixed() && draft.find("rwmixread") != nullptr && rates[0] == rates[1] && rates[0] != 0 &&
      draft.job.rwmix_read_percent != 50)
    draft.job.notes.push_back(
        fmt::format("rate_iops={} limits each direction separately, and rwmixread={} is not kept, as in fio: write a "
                    "rate for each, rate_iops={},{}",
                    rates[0], draft.job.rwmix_read_percent, rates[0] * draft.job.rwmix_read_percent / 50,
                    rates[0] * (100 - draft.job.rwmix_read_percent) / 50));
  if (!bytes || !ios) return {};
  return error_for(draft, section, "rate_iops", "rate and rate_iops in one job",
                   "a job can be paced either by bytes or by I/Os", "omit one of them");
}

base::Expected<void> check_cpus(const Draft& draft, const Assignment& section, const Environment& env) {
  const auto cpus = std::max(env.ncpus, env.ncpus_configured);
  for (const int cpu : draft.job.of<fields::Cpus>().allowed)
    if (static_cast<unsigned>(cpu) >= cpus)
      return error_for(draft, section, "cpus_allowed", fmt::format("CPU {} does not exist", cpu),
                       fmt::format("this machine's CPUs are 0 to {}", cpus - 1),
                       fmt::format("write CPUs up to {}", cpus - 1));
  return {};
}

base::Expected<void> check_readonly(const Draft& draft, const Assignment& section) {
  const bool unlinks = draft.job.unlink || draft.job.of<fields::FileOptions>().unlink_each_loop;
  const bool changes = draft.job.changes_targets() || io::traits_of(draft.job.ioengine).reads_change;
  if (!draft.job.readonly || (!changes && !unlinks)) return {};
  if (!changes)
    return error_for(draft, section, "unlink",
                     fmt::format("job `{}` removes its files, and --readonly forbids it", draft.job.name), "",
                     "omit unlink= or --readonly");
  return error_for(draft, section, "rw",
                   fmt::format("job `{}` writes or trims, and --readonly forbids it", draft.job.name),
                   fmt::format("rw={} changes the target", draft.job.rw_name),
                   "write `rw=read` or `rw=randread`, or omit --readonly");
}

// Checks that do not need the files. The size of an existing file or device is known later.
base::Expected<void> check_work(const Draft& draft, const Assignment& section) {
  const Job& job = draft.job;
  if (job.replays) return {};
  std::uint64_t smallest = ~std::uint64_t{0};
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (used[d]) smallest = std::min(smallest, job.bs_min[d]);
  if (option_in_zones(job) == nullptr && job.size.bytes != 0 && job.size.bytes < smallest)
    return error_for(draft, section, "size", fmt::format("size={} is less than one block", job.size.bytes),
                     fmt::format("the smallest block is {} bytes", smallest), "make size larger or bs smaller");
  const bool sized = job.size.bytes != 0 || job.filesize_max != 0;
  if (!sized && !io::traits_of(job.ioengine).needs_files)
    return error_for(draft, section, "size", fmt::format("job `{}` has nothing to do", job.name),
                     fmt::format("engine {} has no files, and size= is missing", job.ioengine),
                     "write for example `size=1g`");
  return {};
}

// An atomic write (all of it or nothing) is one call with a special flag.
base::Expected<void> check_atomic(Draft& draft, const Assignment& section) {
  Job& job = draft.job;
  if (!std::as_const(job).of<fields::FileOptions>().atomic) return {};
  job.direct = true;
  if (!job.mode.writes || io::traits_of(job.ioengine).atomic_writes) return {};
  return error_for(draft, section, "atomic", fmt::format("atomic=1 with ioengine={}", job.ioengine),
                   "the engine's system calls have no flag for it: a write could be torn",
                   "write `ioengine=io_uring`, `libaio` or `pvsync2`, or omit atomic=");
}

}  // namespace

base::Expected<void> resolve(Draft& draft, const Assignment& section, const Environment& env) {
  Job& job = draft.job;
  if (auto done = check_engine_options(draft); !done) return done;
  if (auto done = resolve_replay(draft, section); !done) return done;
  job.randrepeat = job.randrepeat || draft.allrandrepeat;
  if (auto done = check_atomic(draft, section); !done) return done;
  for (auto* size : {&job.size, &job.io_size}) size->set = size->set && (size->bytes != 0 || size->percent > 0);
  if (!job.filenames.empty()) job.nrfiles = static_cast<std::uint32_t>(job.filenames.size());
  replace_zeroes(draft);
  resolve_block_sizes(draft);
  if (auto done = resolve_zones(draft, section); !done) return done;
  if (auto done = resolve_sprandom(draft, section); !done) return done;
  if (auto done = check_num_range(draft, section); !done) return done;
  resolve_depth(job);
  if (auto done = resolve_cmdprio(draft, section); !done) return done;
  resolve_measuring(job);
  resolve_time(job);
  if (auto done = check_placement(draft, section); !done) return done;
  if (auto done = resolve_engine(draft, section); !done) return done;
  if (auto done = check_rates(draft, section); !done) return done;
  if (auto done = check_cpus(draft, section, env); !done) return done;
  if (auto done = check_readonly(draft, section); !done) return done;
  if (auto done = resolve_verify(draft, section); !done) return done;
  if (auto done = resolve_contents(draft, section); !done) return done;
  if (auto done = resolve_control(draft, section); !done) return done;
  if (auto done = resolve_logs(draft, section); !done) return done;
  if (auto done = resolve_files(draft, section); !done) return done;
  return check_work(draft, section);
}

}  // namespace fathom::job
