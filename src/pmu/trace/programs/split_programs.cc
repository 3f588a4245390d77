// The jobs determine the size of the maps and the tracepoints to attach.
#include "pmu/trace/programs/split_programs.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "base/system/fd.h"
#include "pmu/trace/programs/classic_records.h"
#include "pmu/trace/programs/libbpf.h"
#include "pmu/trace/programs/loaded_object.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr unsigned char kObject[] = {
#include "fathom_split_object.h"
};
constexpr unsigned char kClassicObject[] = {
#include "fathom_split_classic_object.h"
};

enum class Of { all, requests, submissions, dirty, journal, syncs, log };
struct Point {
  const char* program;
  const char* system;
  const char* tracepoint;
  Of of;
  const char* module = nullptr;  // the module that may contain it; only for those that some kernels lack
};
constexpr const char* kRing =
    "io_"
    "uring";  // the kernel's name, not the engine's
constexpr Point kPoints[] = {{"on_queue", "block", "block_bio_queue", Of::all},
                             {"on_bio_done", "block", "block_bio_complete", Of::all},
                             {"on_request", "block", "block_getrq", Of::requests},
                             {"on_issue", "block", "block_rq_issue", Of::requests},
                             {"on_request_done", "block", "block_rq_complete", Of::requests},
                             {"on_submit", kRing, "io_uring_submit_req", Of::submissions, ""},
                             {"on_submit_before_6_3", kRing, "io_uring_submit_sqe", Of::submissions, ""},
                             {"on_dirty", "writeback", "balance_dirty_pages", Of::dirty, ""},
                             {"on_commit_begins", "jbd2", "jbd2_start_commit", Of::journal, "jbd2"},
                             {"on_commit_ends", "jbd2", "jbd2_end_commit", Of::journal, "jbd2"},
                             {"on_file_sync", "ext4", "ext4_sync_file_enter", Of::syncs, "ext4"},
                             {"on_file_synced", "ext4", "ext4_sync_file_exit", Of::syncs, "ext4"},
                             {"on_log_force", "xfs", "xfs_log_force", Of::log, "xfs"},
                             {"on_log_write_begins", "xfs", "xlog_iclog_syncing", Of::log, "xfs"},
                             {"on_log_write_ends", "xfs", "xlog_iclog_sync_done", Of::log, "xfs"}};

constexpr Point kClassicPoints[] = {{"on_queue", "block", "block_bio_queue", Of::all},
                                    {"on_split", "block", "block_split", Of::all},
                                    {"on_bio_done", "block", "block_bio_complete", Of::all},
                                    {"on_request", "block", "block_getrq", Of::requests},
                                    {"on_issue", "block", "block_rq_issue", Of::requests},
                                    {"on_request_done", "block", "block_rq_complete", Of::requests}};

bool wants(const Wanted& wanted, Of of) {
  const bool asked[] = {true,           wanted.requests, wanted.submissions, wanted.dirty,
                        wanted.journal, wanted.journal,  wanted.log};
  return asked[static_cast<int>(of)];
}

// The types of the kernel itself, several megabytes, which are read once for all questions.
class KernelTypes {
 public:
  KernelTypes() : bpf_(**libbpf()), types_(bpf_.kernel_types()) {}
  ~KernelTypes() { bpf_.free_types(types_); }
  KernelTypes(const KernelTypes&) = delete;
  KernelTypes& operator=(const KernelTypes&) = delete;

  bool has_tracepoint(const char* name) const {
    return types_ != nullptr &&
           bpf_.find_type(types_, (std::string("btf_trace_") + name).c_str(), BTF_KIND_TYPEDEF) > 0;
  }

 private:
  const Libbpf& bpf_;
  btf* types_;  // nullptr: this kernel was built without them
};

// True for a tracepoint of the kernel itself, or of a loaded module.
bool is_there(const Point& point, const KernelTypes& kernel) {
  if (point.module == nullptr) return true;
  if (*point.module != '\0' && ::access((std::string("/sys/kernel/btf/") + point.module).c_str(), F_OK) == 0)
    return true;
  return kernel.has_tracepoint(point.tracepoint);
}

// As in split_slots.bpf.h.
struct Setup {
  std::uint32_t place_shift, granule_shift, bio_mask, task_mask, any_long, submissions;
  std::uint32_t disks[kMostDisks];
  std::uint64_t namespace_dev, namespace_inode;
  Record records[kRecords];
  std::uint32_t partition_mask, spare;
};
constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO: the machine's own

struct Sizes {
  std::uint32_t lines, places, bios, tasks;
  Setup setup;
};

constexpr std::size_t kCounts = 2;  // the entries of `counts` in split_slots.bpf.h that are read

// Write-back of buffered writes makes bios of one page and more, thousands at a time for one fsync. With these buckets
// (8 MiB), 7,680 bios leave one in 10,000 without a place.
constexpr std::uint32_t kWriteBackBuckets = 1u << 16;

std::uint32_t power_of_two(std::uint32_t least, std::uint32_t wanted) { return std::bit_ceil(std::max(least, wanted)); }

Sizes sizes_for(const Wanted& wanted) {
  Sizes s{};
  s.lines = std::max(1u, wanted.slots);
  s.places = power_of_two(1024, s.lines * 8);
  s.bios = power_of_two(1024, s.lines * 8);
  if (wanted.dirty) s.bios = std::max(s.bios, kWriteBackBuckets);
  s.tasks = power_of_two(64, wanted.workers * 8);
  s.setup.place_shift = 64 - static_cast<std::uint32_t>(std::bit_width(s.places - 1));
  const std::uint32_t sectors = std::max(8u, (wanted.largest_io_bytes + 511) / 512);
  s.setup.granule_shift = static_cast<std::uint32_t>(std::bit_width(sectors - 1));
  s.setup.any_long = wanted.any_long;
  s.setup.submissions = wanted.submissions;
  std::copy_n(wanted.disks.begin(), std::min(kMostDisks, wanted.disks.size()), s.setup.disks);
  s.setup.bio_mask = s.bios - 1;
  s.setup.task_mask = s.tasks - 1;
  struct stat st {};
  if (::stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != kFirstPidNamespace) {
    s.setup.namespace_dev = static_cast<std::uint64_t>(major(st.st_dev) << 20 | minor(st.st_dev));
    s.setup.namespace_inode = st.st_ino;
  }
  return s;
}

}  // namespace

struct SplitPrograms::State {
  bool classic = false;
  std::unique_ptr<LoadedObject> object;
  std::vector<const Point*> points;
  base::system::UniqueFd measuring;
  std::vector<Partition> partition_table;
  Mapping lines, places, tasks, past, counts, partitions;
  fathom::split::Region region;

  bool follows(Of of) const {
    return std::any_of(points.begin(), points.end(), [of](const Point* point) { return point->of == of; });
  }
  base::Expected<void> open(const Wanted& wanted, Sizes sizes);
  base::Expected<void> set_up(Sizes& sizes);
  base::Expected<void> map_all(const Sizes& sizes);
};

// Sets what classic tracepoints need before they are passed.
base::Expected<void> SplitPrograms::State::set_up(Sizes& sizes) {
  if (auto ok = read_records(sizes.setup.records); !ok) return ok;
  const auto table = table_of(partitions_of_machine());
  partition_table = table;
  if (table.empty()) return {};
  sizes.setup.partition_mask = static_cast<std::uint32_t>(table.size() - 1);
  object->set_entries("partitions", static_cast<std::uint32_t>(table.size()));
  return {};
}

base::Expected<void> SplitPrograms::State::open(const Wanted& wanted, Sizes sizes) {
  auto opened = classic ? LoadedObject::open(kClassicObject, false) : LoadedObject::open(kObject);
  if (!opened) return opened.error();
  object = std::move(*opened);
  object->set_entries("lines", sizes.lines);
  object->set_entries("places", sizes.places);
  object->set_entries("bios", sizes.bios);
  object->set_entries("tasks", sizes.tasks);
  std::vector<const char*> programs;
  const KernelTypes kernel;
  for (const auto& point : classic ? std::span<const Point>(kClassicPoints) : std::span<const Point>(kPoints)) {
    if (!wants(wanted, point.of) || !is_there(point, kernel)) continue;
    points.push_back(&point);
    programs.push_back(point.program);
  }
  object->use_only(std::move(programs));
  if (classic)
    if (auto ok = set_up(sizes); !ok) return ok;
  if (auto ok = object->set_constants(sizes.setup); !ok) return ok;
  return object->load();
}

base::Expected<void> SplitPrograms::State::map_all(const Sizes& sizes) {
  using namespace fathom::split;
  int err = object->map("lines", sizes.lines * sizeof(Line), lines);
  if (err == 0) err = object->map("places", sizes.places * sizeof(Bucket), places);
  if (err == 0) err = object->map("tasks", sizes.tasks * sizeof(Task), tasks);
  if (err == 0) err = object->map("past", sizeof(Past), past);
  if (err == 0 && !partition_table.empty())
    err = object->map("partitions", partition_table.size() * sizeof(Partition), partitions);
  if (err == 0) err = object->map(".bss", kCounts * sizeof(std::uint64_t), counts);
  if (err != 0) return base::system_error("map the memory that BPF programs share", err);
  region = {lines.as<Line>(sizes.lines), places.as<Bucket>(sizes.places), tasks.as<Task>(sizes.tasks),
            past.as<Past>(1).data(),     sizes.setup.place_shift,         sizes.setup.granule_shift};
  std::copy(partition_table.begin(), partition_table.end(), partitions.as<Partition>(partition_table.size()).begin());
  region.submissions = follows(Of::submissions);
  region.waits = !classic;
  return {};
}

// Uses classic tracepoints if the kernel refuses the others.
base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load(const Wanted& wanted) {
  auto loaded = load_some(wanted, false);
  if (loaded) return loaded;
  auto classic = load_some(wanted, true);
  if (classic) return classic;
  auto error = loaded.error();
  if (classic.error().what != error.what)
    error.cause += "; by classic tracepoints: " + classic.error().what + ": " + classic.error().cause;
  return error;
}

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load_classic(const Wanted& wanted) {
  return load_some(wanted, true);
}

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load_some(const Wanted& wanted, bool classic) {
  auto state = std::make_unique<State>();
  state->classic = classic;
  Sizes sizes = sizes_for(wanted);
  if (classic) sizes.bios *= 4, sizes.setup.bio_mask = sizes.bios - 1;  // each part of a split bio
  if (auto ok = state->open(wanted, sizes); !ok) return ok.error();
  if (auto ok = state->map_all(sizes); !ok) return ok.error();
  return std::unique_ptr<SplitPrograms>(new SplitPrograms(std::move(state)));
}

SplitPrograms::SplitPrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
SplitPrograms::~SplitPrograms() = default;

const fathom::split::Region& SplitPrograms::region() const { return state_->region; }

base::Expected<void> SplitPrograms::attach() { return state_->object->attach(); }
void SplitPrograms::detach() { state_->object->detach(); }
void SplitPrograms::let_go_in_fork() { let_go_of_links(); }

const char* SplitPrograms::events_by() const { return state_->classic ? "BPF programs" : "BTF programs"; }

double SplitPrograms::point_ns() const { return state_->classic ? 200 : 70; }

std::vector<std::string> SplitPrograms::tracepoints() const {
  std::vector<std::string> out;
  for (const auto* point : state_->points) out.push_back(std::string(point->system) + ":" + point->tracepoint);
  return out;
}

bool SplitPrograms::follows_submissions() const { return state_->follows(Of::submissions); }
bool SplitPrograms::follows_journal() const { return state_->follows(Of::journal); }
bool SplitPrograms::follows_syncs() const { return state_->follows(Of::syncs); }
bool SplitPrograms::follows_log() const { return state_->follows(Of::log); }

void SplitPrograms::measure(bool on) { state_->measuring.reset(on ? measure_run_times() : -1); }

RunTime SplitPrograms::run_time() const { return state_->object->run_time(); }

std::uint64_t SplitPrograms::no_room() const { return state_->counts.as<std::uint64_t>(kCounts)[0]; }
std::uint64_t SplitPrograms::beyond() const { return state_->counts.as<std::uint64_t>(kCounts)[1]; }
std::uint64_t SplitPrograms::missed_runs() const { return state_->object->missed_runs(); }

}  // namespace fathom::pmu::trace::programs
