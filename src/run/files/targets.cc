// Plans the targets of a job.
#include "run/files/targets.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/prng.h"
#include "base/system/fd.h"
#include "io/engine_targets.h"
#include "io/engines.h"
#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "job/fields/replay.h"
#include "run/files/placed_checks.h"
#include "run/files/target_names.h"

namespace fathom::run::files {

base::Error nothing_to_do(const job::Job& job, std::string cause, std::string help) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("job `{}` has nothing to do", job.name);
  e.cause = std::move(cause);
  e.help = std::move(help);
  e.place = job.place;
  return e;
}

std::uint64_t smallest_block(const job::Job& job) {
  std::uint64_t smallest = ~0ull;
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (used[d]) smallest = std::min(smallest, job.bs_min[d]);
  return smallest;
}

std::uint64_t largest_block(const job::Job& job) {
  std::uint64_t largest = 0;
  const bool used[] = {job.mode.reads, job.mode.writes};
  for (std::size_t d = 0; d < std::size(used); ++d)
    if (used[d]) largest = std::max(largest, job.bs_max[d]);
  return largest;
}

namespace {

// The end of a file that ends only when no space is left. It is beyond the end of any file system, and still a valid
// offset everywhere.
constexpr std::uint64_t kEndless = std::uint64_t{1} << 50;

// Writes to these devices destroy no data: the bytes are discarded or shown on a terminal. Any other character device
// may be a tape, a disk (sg) or flash memory (mtd). Its contents cannot be examined. Source: kernel,
// Documentation/admin-guide/devices.txt.
bool harmless_character(dev_t device) {
  constexpr unsigned kMemory = 1, kTty = 4, kTtyAux = 5, kFirstPts = 136, kLastPts = 143;
  constexpr unsigned kHarmless[] = {3, 5, 7, 8, 9};  // null, zero, full, random, urandom
  const unsigned group = major(device);
  if (group == kMemory)
    return std::find(std::begin(kHarmless), std::end(kHarmless), minor(device)) != std::end(kHarmless);
  return group == kTty || group == kTtyAux || (group >= kFirstPts && group <= kLastPts);
}

// The unit to which percentages are rounded. As in fio, it is the smallest block size of any direction, even an unused
// one.
std::uint64_t block_of_percentages(const job::Job& job) {
  return std::max<std::uint64_t>(1, *std::min_element(job.bs_min.begin(), job.bs_min.end()));
}

std::uint64_t part_of(std::uint64_t bytes, double percent) {
  return static_cast<std::uint64_t>(static_cast<long double>(bytes) * percent / 100);
}

// filesize=4k-64k: the size of each file in whole blocks, the same in every run.
std::uint64_t drawn_size(const job::Job& job, std::size_t file) {
  if (job.filesize_max <= job.filesize_min) return job.filesize_min;
  base::Prng prng(job.randseed * 31 + static_cast<std::uint64_t>(job.subjob) * 1009 + file + 1);
  const std::uint64_t size = job.filesize_min + prng.below(job.filesize_max - job.filesize_min + 1);
  const std::uint64_t block = std::max<std::uint64_t>(1, smallest_block(job));
  return std::max(job.filesize_min, size / block * block);
}

bool appends(const job::Job& job, const PlannedTarget& t) {
  return job.of<job::fields::FileOptions>().append && t.kind == io::TargetKind::regular;
}

// Percentages refer to the size of the target when the job begins. If either option is a percentage, the sum is rounded
// up to a block.
std::uint64_t start_offset(const job::Job& job, const PlannedTarget& t) {
  if (appends(job, t)) return t.size_then;
  const auto bytes = [&](const job::SizeOrPercent& s) {
    return s.percent > 0 ? static_cast<long double>(t.size_then) * s.percent / 100 : static_cast<long double>(s.bytes);
  };
  if (job.offset.percent <= 0 && job.offset_increment.percent <= 0)
    return job.offset.bytes + job.offset_increment.bytes * static_cast<std::uint64_t>(job.subjob);
  const auto raw = static_cast<std::uint64_t>(bytes(job.offset) + bytes(job.offset_increment) * job.subjob);
  const std::uint64_t align = job.of<job::fields::OffsetChoice>().offset_align;
  const std::uint64_t block = align != 0 ? align : block_of_percentages(job);
  return (raw + block - 1) / block * block;
}

// The end of the target for this job: from filesize=, or the end of its data. The window extends from the start offset
// to this end. 0: unknown (a file that does not exist yet and has a size= in bytes).
base::Expected<std::uint64_t> end_of_target(const job::Job& job, const PlannedTarget& t, std::size_t file) {
  if (job.filesize_min != 0) return drawn_size(job, file);
  if (job.size.set && job.size.percent <= 0) return std::uint64_t{0};
  if (t.size_then > 0 && !fills_device(job, t)) return t.size_then;
  if (fills_device(job, t)) return kEndless;
  const char* const state = t.exists ? "empty" : "missing";
  if (job.size.percent > 0)
    return nothing_to_do(job, fmt::format("size={}% of `{}`, which is {}", job.size.percent, t.path, state),
                         "give size= in bytes, for example size=1g");
  return nothing_to_do(
      job,
      t.kind == io::TargetKind::none && t.path.empty()
          ? "size= is missing, and the engine has no files"
          : fmt::format("`{}` {} and size= is missing", t.path, t.exists ? "is empty" : "does not exist"),
      "add size=, for example size=1g");
}

// size= in bytes without filesize=: the share of each file.
base::Expected<std::uint64_t> share_of_size(const job::Job& job, std::uint64_t file_count) {
  if (job.size.bytes / file_count > 0) return job.size.bytes / file_count;
  return nothing_to_do(job, fmt::format("size={} is less than a byte for each of {} files", job.size.bytes, file_count),
                       "raise size=, or lower nrfiles=");
}

// size=N% is a percentage of the target's size up to its end. The part begins at the start offset, and never extends
// past the end.
std::uint64_t part_of_window(const job::Job& job, std::uint64_t end, std::uint64_t length) {
  if (job.size.percent <= 0 || job.size.percent == 100) return length;
  const std::uint64_t part = std::min(part_of(end, job.size.percent), length);
  return part - part % block_of_percentages(job);
}

// A device of 0 bytes has no size of its own (objects of a server): size= gives it.
bool of_fixed_size(const PlannedTarget& t) {
  const bool may_have_none =
      (t.kind == io::TargetKind::device && !t.engine_file) || t.kind == io::TargetKind::character;
  return t.kind == io::TargetKind::block || (may_have_none && t.size_now > 0);
}

// A file grows only if its window extends beyond its current size; filesize= alone does not extend it. The arithmetic
// is fio's. tests/reference/windows_test.py compares it with fio's bytes and file sizes.
base::Expected<void> place_window(const job::Job& job, PlannedTarget& t, std::size_t file, std::uint64_t file_count) {
  if (t.read_again && t.size_then == 0) return {};
  auto end = end_of_target(job, t, file);
  if (!end) return end.error();
  t.start = start_offset(job, t);
  if (*end == 0) {
    auto share = share_of_size(job, file_count);
    if (!share) return share.error();
    *end = t.start + *share;
  }
  const std::uint64_t last = of_fixed_size(t) ? std::min(*end, t.size_now) : *end;
  t.size_needed = t.size_now;
  if (t.start >= last) {
    // A clone with an offset_increment beyond the end has an empty window; the other clones run.
    if (job.subjob > 0) return {};
    return nothing_to_do(job,
                         fmt::format("offset {} is at or beyond the end of `{}` ({} bytes)", t.start, t.path, last),
                         "lower offset= or offset_increment=");
  }
  t.length = std::min(part_of_window(job, *end, *end - t.start), last - t.start);
  // zonemode=strided: as in fio, size= limits the bytes moved, and the zones extend to the end of the target.
  if (job.of<job::fields::StridedZones>().used && job.size.percent <= 0 && t.size_then > t.start)
    t.length = std::max(t.length, t.size_then - t.start);
  if (!of_fixed_size(t)) t.size_needed = t.start + t.length;
  return {};
}

// Checks that offsets and lengths are whole blocks of the device.
base::Expected<void> check_blocks(const job::Job& job, const PlannedTarget& t) {
  const bool used[] = {job.mode.reads, job.mode.writes, job.mode.trims};
  std::vector<std::pair<const char*, std::uint64_t>> values;
  // A number of zones is a number of blocks, and its bytes are not known yet.
  if (job.of<job::fields::SizesInZones>().offset == 0) values.emplace_back("offset=", job.offset.bytes);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!used[d]) continue;
    values.emplace_back("bs=", job.bs_min[d]);
    values.emplace_back("bs=", job.bs_max[d]);
    if (job.blockalign[d] != 0) values.emplace_back("blockalign=", job.blockalign[d]);
    for (const auto& part : job.bssplit[d]) values.emplace_back("bssplit=", part.bytes);
  }
  for (const auto& [option, bytes] : values) {
    if (bytes % t.block_bytes == 0) continue;
    base::Error e;
    e.what = fmt::format("{}{} is not a multiple of the block of `{}`", option, bytes, t.path);
    e.cause = fmt::format("the device has blocks of {} bytes, and I/O needs whole blocks", t.block_bytes);
    e.help = fmt::format("give {} in multiples of {}", option, t.block_bytes);
    e.place = job.place;
    return e;
  }
  return {};
}

base::Error keeps_nothing(const job::Job& job, const std::string& name) {
  base::Error e;
  e.what = fmt::format("verify= on `{}`, which keeps no data", name);
  e.cause = "`ideal` completes commands without moving data: every block would fail verification";
  e.help = "omit `ideal` from the device's options, or omit verify=";
  e.place = job.place;
  return e;
}

PlannedTarget target_of(const std::string& name, engine::TargetFacts&& facts) {
  PlannedTarget t;
  t.path = name;
  t.kind = facts.kind;
  t.exists = facts.exists;
  t.size_now = facts.size_bytes;
  t.block_bytes = facts.block_bytes;
  t.harmless = facts.harmless || facts.is_file;  // a job may write to a file unasked, as on a disk
  t.abilities = facts.abilities;
  t.about = std::move(facts.about);
  t.engine_file = facts.is_file;
  return t;
}

// Targets that only the engine can describe.
base::Expected<std::vector<PlannedTarget>> look_at_named(const job::Job& job, const engine::Targets& known,
                                                         const std::vector<std::string>& names) {
  std::vector<PlannedTarget> targets;
  for (const auto& name : names) {
    auto facts = known.look_at(name, job.engine);
    if (!facts) {
      if (!facts.error().place) facts.error().place = job.filename_place ? job.filename_place : job.place;
      return facts.error();
    }
    if (job.verify && !facts->keeps_data) return keeps_nothing(job, name);
    auto t = target_of(name, std::move(*facts));
    if (auto ok = check_blocks(job, t); !ok) return ok.error();
    targets.push_back(std::move(t));
  }
  return targets;
}

// One I/O of the smallest block size per file. The engine counts the I/O, and moves no data.
base::Expected<std::vector<PlannedTarget>> names_of(const job::Job& job) {
  auto names = target_names(job);
  if (!names) return names.error();
  std::vector<PlannedTarget> targets;
  for (auto& name : *names) {
    PlannedTarget t;
    t.path = std::move(name);
    t.length = smallest_block(job);
    targets.push_back(std::move(t));
  }
  return targets;
}

// filename=-. Standard input or output is not laid out, and a write to it destroys no data.
base::Expected<PlannedTarget> look_at_standard(const job::Job& job) {
  if (job.mode.trims || (job.mode.reads && job.mode.writes)) {
    base::Error e;
    e.kind = base::ErrorKind::usage;
    e.what = "can't read/write to stdin/out";
    e.cause = "`filename=-` is standard input or standard output";
    e.help = "write `rw=read` or `rw=write`";
    e.place = job.filename_place ? job.filename_place : job.place;
    return e;
  }
  PlannedTarget t;
  t.path = "-";
  t.kind = io::TargetKind::character;
  t.exists = t.harmless = true;
  return t;
}

// Checks filetype=.
base::Expected<void> check_type(const job::Job& job, const PlannedTarget& t) {
  struct Row {
    job::fields::FileType type;
    io::TargetKind kind;
    const char* name;
  };
  constexpr Row kRows[] = {{job::fields::FileType::file, io::TargetKind::regular, "file"},
                           {job::fields::FileType::block, io::TargetKind::block, "block"},
                           {job::fields::FileType::character, io::TargetKind::character, "char"}};
  for (const auto& row : kRows) {
    if (row.type != job.of<job::fields::FileOptions>().type || row.kind == t.kind) continue;
    base::Error e;
    e.kind = base::ErrorKind::usage;
    e.what = fmt::format("`{}` does not match filetype={}", t.path, row.name);
    e.cause =
        t.exists ? "the target has another type" : "the target does not exist, and fathom creates only regular files";
    e.help = "name another target, or omit filetype=";
    e.place = job.filename_place ? job.filename_place : job.place;
    return e;
  }
  return {};
}

base::Expected<std::vector<PlannedTarget>> look_at_all(const job::Job& job) {
  std::vector<PlannedTarget> targets;
  if (const auto* known = engine::targets_of(job.ioengine)) {
    const auto names = engine_target_names(job, *known);
    return names ? look_at_named(job, *known, *names) : names.error();
  }
  if (!io::traits_of(job.ioengine).needs_files) {
    targets.resize(std::max<std::size_t>(1, job.filenames.empty() ? job.nrfiles : job.filenames.size()));
    return targets;
  }
  if (io::targets_are(job.ioengine) == io::TargetsAre::names) return names_of(job);
  const auto names = target_names(job);
  if (!names) return names.error();
  if (names->empty())
    return nothing_to_do(job, fmt::format("opendir={} contains no file", job.of<job::fields::FileOptions>().opendir),
                         "name a directory that has files");
  for (const auto& name : *names) {
    auto t = is_standard(name) ? look_at_standard(job) : look_at(name);
    if (t)
      if (auto ok = check_type(job, *t); !ok) return ok.error();
    if (!t && job.filename_place) t.error().place = job.filename_place;
    if (!t) return t.error();
    targets.push_back(*t);
  }
  return targets;
}

// Determines the size of the file when the job begins. size= in bytes or filesize= give the size regardless of the
// file's content, so the window is not computed again.
void look_at_earlier(const job::Job& job, const EarlierLook& earlier, PlannedTarget& t) {
  t.size_then = t.exists ? t.size_now : 0;
  if (!earlier || t.kind != io::TargetKind::regular) return;
  const auto made = earlier(t.path);
  t.size_then = std::max(t.size_then, made.size);
  const bool given = job.filesize_min != 0 || (job.size.set && job.size.percent <= 0) || fills_device(job, t);
  t.read_again = made.written && !given;
  t.open_ended = made.open_ended;
}

base::Expected<void> place_windows(Plan& plan) {
  const job::Job& job = plan.job;
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    auto& t = plan.targets[i];
    if (io::targets_are(job.ioengine) == io::TargetsAre::names) continue;
    if (auto placed = place_window(job, t, i, plan.targets.size()); !placed) return placed.error();
    largest = std::max(largest, t.length);
  }
  if (largest > 0 && largest < smallest_block(job))
    return nothing_to_do(job,
                         fmt::format("each file has {} bytes, the smallest block {}", largest, smallest_block(job)),
                         "raise size=, or lower bs= or nrfiles=");
  return check_placed(plan.job, plan.targets);
}

// Sets what the trace decides. Of a trace that is not examined, the directions are all that the job may do, so that the
// write guard looks at its targets.
void follow_trace(const replay::Trace& trace, job::Job& job) {
  const auto& options = job.of<job::fields::Replay>();
  const auto& facts = trace.facts;
  const auto may = [&](io::Dir dir) { return !options.skips(dir); };
  job.mode = {};
  job.mode.reads = facts.whole ? facts.reads : may(io::Dir::read);
  job.mode.writes = facts.whole ? facts.writes : may(io::Dir::write) && !job.readonly;
  job.mode.trims = facts.whole ? facts.trims : may(io::Dir::trim) && !job.readonly && io::traits_of(job.ioengine).trims;
  const auto& mode = job.mode;
  job.rw_name = mode.mixed() ? "rw" : mode.writes ? "write" : mode.trims ? "trim" : "read";
  job.filenames = options.redirect.empty() ? trace.files : std::vector<std::string>{options.redirect};
  job.nrfiles = static_cast<std::uint32_t>(std::max<std::size_t>(1, job.filenames.size()));
  const bool queue = io::traits_of(job.ioengine).asynchronous;
  constexpr std::uint64_t kMostDepth = 1024;  // fio's limit
  if (facts.depth && !options.depth_given && queue)
    job.iodepth = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(*facts.depth, 1, kMostDepth));
  job.engine.iodepth = job.iodepth;
  job.engine.has_writes = mode.destructive();
}

void set_block_sizes(const replay::Trace& trace, job::Job& job) {
  const auto& facts = trace.facts;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    if (!facts.whole) job.bs_max[d] = std::max(job.bs_max[d], replay::kStreamBuffer_bytes);
    if (facts.whole && facts.largest_bytes[d] != 0) {
      job.bs_min[d] = facts.smallest_bytes[d];
      job.bs_max[d] = facts.largest_bytes[d];
    }
    if (d == io::index(io::Dir::trim)) job.bs_max[d] = job.bs_min[d];  // a trim has no buffer
    job.blockalign[d] = job.bs_min[d];
  }
}

// The unit of offsets and lengths with direct=1; 1 without it.
std::uint32_t direct_unit(const job::Job& job, const PlannedTarget& t) {
  constexpr std::uint32_t kSector_bytes = 512;
  if (t.block_bytes > 1 || !job.direct || t.kind == io::TargetKind::none) return t.block_bytes;
  const base::system::UniqueFd fd(::open(t.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  int bytes = 0;
  if (t.kind == io::TargetKind::block && fd && ::ioctl(fd.get(), BLKSSZGET, &bytes) == 0 && bytes > 0)
    return static_cast<std::uint32_t>(bytes);
  return kSector_bytes;
}

// The window is the whole target. A regular file is as long as the trace reaches, if that is known.
workload::ReplayTarget place_replayed(const replay::Trace& trace, const job::Job& job, std::size_t file,
                                      PlannedTarget& t) {
  const auto& ends = trace.facts.ends_bytes;
  const std::uint64_t end = file < ends.size() ? ends[file] : 0;
  const bool regular = t.kind == io::TargetKind::regular || t.engine_file;
  t.start = 0;
  t.size_then = t.size_now;
  const bool ends_with_trace = regular || t.kind == io::TargetKind::none || t.kind == io::TargetKind::device;
  t.length = std::max<std::uint64_t>({t.size_now, ends_with_trace && !of_fixed_size(t) ? end : 0, 1});
  t.size_needed = regular ? std::max(t.size_now, end) : t.size_now;
  const bool limited = of_fixed_size(t) || (regular && !trace.facts.whole);
  return {limited ? t.size_now : ~std::uint64_t{0}, regular, direct_unit(job, t)};
}

base::Error no_target(const job::Job& job, const replay::Trace& trace) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("`{}` does not name the files of its I/Os", trace.path);
  e.cause = trace.traits.names_files
                ? "no file precedes its first I/O"
                : fmt::format("a trace of format {} has numbers of volumes or devices", trace.traits.format);
  e.help = "name the target with replay_redirect=";
  e.place = job.place;
  return e;
}

base::Error missing_device(const job::Job& job, const std::string& path) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what = fmt::format("`{}` does not exist", path);
  e.cause = "the trace was recorded on this device";
  e.help = "name the target with replay_redirect=";
  e.place = job.place;
  return e;
}

base::Error no_completions(const job::Job& job, const replay::Trace& trace) {
  base::Error e;
  e.kind = base::ErrorKind::usage;
  e.what =
      fmt::format("replay_loop=closed, and the trace `{}` ({}) has no completions", trace.path, trace.traits.format);
  e.cause = "in a closed loop an I/O starts after the completions that it followed in the trace";
  e.help = "replay it with replay_loop=open, or record it with blktrace, biosnoop or `strace -ttt -T`";
  e.place = job.place;
  return e;
}

base::Expected<void> check_replay(const replay::Trace& trace, const job::Job& job) {
  if (trace.facts.whole && trace.facts.ios == 0)
    return nothing_to_do(job, fmt::format("the trace `{}` has no I/O to replay", trace.path),
                         "record I/O, or omit replay_skip=");
  if (job.of<job::fields::Replay>().closed() && !trace.traits.has_responses) return no_completions(job, trace);
  if (job.readonly && job.mode.destructive())
    return nothing_to_do(job, fmt::format("the trace `{}` writes or trims, and --readonly forbids it", trace.path),
                         "add replay_skip=write,trim, or omit --readonly");
  if (job.mode.trims && !io::traits_of(job.ioengine).trims)
    return nothing_to_do(job, fmt::format("the trace `{}` trims, and engine {} cannot", trace.path, job.ioengine),
                         "add replay_skip=trim, or use ioengine=psync");
  const bool redirected = !job.of<job::fields::Replay>().redirect.empty();
  const bool needs_names = io::traits_of(job.ioengine).needs_files || engine::targets_of(job.ioengine) != nullptr;
  if (needs_names && !redirected && (!trace.traits.names_files || trace.files.empty())) return no_target(job, trace);
  return {};
}

// read_iolog=.
base::Expected<Plan> plan_replay(job::Job job) {
  if (auto name = name_by_option(job); !name.empty()) job.own.get<job::fields::Replay>().redirect = std::move(name);
  auto trace = replay::examine(job);
  if (!trace) return trace.error();
  Plan plan{std::move(job), {}, 1, false, {}, *trace};
  follow_trace(**trace, plan.job);
  if (auto ok = check_replay(**trace, plan.job); !ok) return ok.error();
  auto looked = look_at_all(plan.job);
  if (!looked) return looked.error();
  plan.targets = std::move(*looked);
  set_block_sizes(**trace, plan.job);
  for (std::size_t i = 0; i < plan.targets.size(); ++i) {
    auto& t = plan.targets[i];
    const bool in_dev = t.path.starts_with("/dev/") && !t.path.starts_with("/dev/shm/");
    if (t.kind == io::TargetKind::regular && !t.exists && in_dev) return missing_device(plan.job, t.path);
    (*trace)->targets.push_back(place_replayed(**trace, plan.job, i, t));
  }
  auto& limits = (*trace)->limits;
  limits.writes = plan.job.mode.writes;
  limits.trims = plan.job.mode.trims;
  limits.largest_bytes = (*trace)->facts.whole ? replay::kLargestIo_bytes : plan.job.bs_max[0];
  limits.dsync_writes = io::traits_of(plan.job.ioengine).dsync_writes;
  if (auto ok = check_abilities(plan.job, plan.targets); !ok) return ok.error();
  return plan;
}

}  // namespace

bool fills_device(const job::Job& job, const PlannedTarget& target) {
  return job.of<job::fields::FileOptions>().fill_device && target.kind == io::TargetKind::regular;
}

void follow_end(const job::Job& job, PlannedTarget& target) {
  if (!appends(job, target)) return;
  target.start = target.size_now;
  target.size_needed = target.start + target.length;
}

base::Expected<void> check_directories(const job::Job& job) {
  for (const auto& directory : job.directories) {
    struct stat st;
    if (::stat(directory.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) continue;
    base::Error e;
    e.what = fmt::format("directory={}: not a directory", directory);
    e.cause = ::access(directory.c_str(), F_OK) == 0 ? "the path is not a directory" : "the directory does not exist";
    e.help = fmt::format("mkdir -p {}", directory);
    e.place = job.directory_place ? job.directory_place : job.place;
    return e;
  }
  return {};
}

base::Expected<PlannedTarget> look_at(const std::string& path) {
  PlannedTarget t;
  t.path = path;
  t.kind = io::TargetKind::regular;
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return t;
    auto e = base::system_error("stat `" + path + "`", errno);
    if (e.sys_errno == EACCES) e.help = "run as a user with permission to search its directory, or name another file";
    return e;
  }
  t.exists = true;
  if (S_ISDIR(st.st_mode)) {
    base::Error e;
    e.what = "`" + path + "` is a directory";
    e.cause = "filename= names files and devices";
    e.help = "use directory=" + path + " (files are created in it), or name a file in it";
    return e;
  }
  if (S_ISBLK(st.st_mode)) {
    t.kind = io::TargetKind::block;
    base::system::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) return base::system_error("open `" + path + "`", errno);
    if (::ioctl(fd.get(), BLKGETSIZE64, &t.size_now) != 0) return base::system_error("size of `" + path + "`", errno);
  } else if (S_ISREG(st.st_mode)) {
    t.size_now = static_cast<std::uint64_t>(st.st_size);
  } else if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
    base::Error e;
    e.what = "`" + path + "` is a pipe or a socket";
    e.cause = "pipes and sockets have no offsets";
    e.help = "name a file or a device";
    return e;
  } else {
    t.kind = io::TargetKind::character;
    t.harmless = harmless_character(st.st_rdev);
  }
  return t;
}

base::Expected<PlannedTarget> look_again(const job::Job& job, const PlannedTarget& target) {
  if (!target.engine_file) return look_at(target.path);
  auto facts = engine::targets_of(job.ioengine)->look_at(target.path, job.engine);
  if (!facts) return facts.error();
  return target_of(target.path, std::move(*facts));
}

base::Expected<Plan> plan_targets(const job::Job& job, const EarlierLook& earlier) {
  if (job.replays) return plan_replay(job);
  Plan plan{job, {}, 1, false, {}, nullptr};
  auto looked = look_at_all(job);
  if (!looked) return looked.error();
  plan.targets = std::move(*looked);
  if (auto ok = find_zone_sizes(plan.job, plan.targets); !ok) return ok.error();
  if (auto ok = check_abilities(plan.job, plan.targets); !ok) return ok.error();
  for (auto& t : plan.targets) look_at_earlier(plan.job, earlier, t);
  if (auto placed = place_windows(plan); !placed) return placed.error();
  return plan;
}

base::Expected<void> find_windows(Plan& plan) {
  bool any = false;
  for (auto& t : plan.targets) {
    if (!std::exchange(t.read_again, false)) continue;
    any = true;
    auto now = look_at(t.path);
    if (!now) return now.error();
    t.exists = now->exists;
    t.size_now = now->size_now;
    t.size_then = t.open_ended ? t.size_now : std::min(t.size_now, t.size_then);
  }
  return any ? place_windows(plan) : base::Expected<void>();
}

}  // namespace fathom::run::files
