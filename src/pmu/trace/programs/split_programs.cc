// Maps are made by loading, as large as was asked for, and mapped from their descriptors: what libbpf itself maps of
// initial values has no effect after loading.
#include "pmu/trace/programs/split_programs.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <span>

#include "base/system/fd.h"
#include "pmu/trace/programs/libbpf.h"

namespace fathom::pmu::trace::programs {
namespace {

constexpr unsigned char kObject[] = {
#include "fathom_split_object.h"
};

enum class Of { all, requests, submissions, dirty, journal, log };
struct Point {
  const char* program;
  const char* system;
  const char* tracepoint;
  Of of;
  const char* module = nullptr;  // that it may be part of; of those that not every kernel has
};
constexpr Point kPoints[] = {{"on_queue", "block", "block_bio_queue", Of::all},
                             {"on_bio_done", "block", "block_bio_complete", Of::all},
                             {"on_request", "block", "block_getrq", Of::requests},
                             {"on_issue", "block", "block_rq_issue", Of::requests},
                             {"on_request_done", "block", "block_rq_complete", Of::requests},
                             {"on_submit", "io_uring", "io_uring_submit_req", Of::submissions, ""},
                             {"on_submit_before_6_3", "io_uring", "io_uring_submit_sqe", Of::submissions, ""},
                             {"on_dirty", "writeback", "balance_dirty_pages", Of::dirty, ""},
                             {"on_commit_begins", "jbd2", "jbd2_start_commit", Of::journal, "jbd2"},
                             {"on_commit_ends", "jbd2", "jbd2_end_commit", Of::journal, "jbd2"},
                             {"on_log_force", "xfs", "xfs_log_force", Of::log, "xfs"},
                             {"on_log_write_begins", "xfs", "xlog_iclog_syncing", Of::log, "xfs"},
                             {"on_log_write_ends", "xfs", "xlog_iclog_sync_done", Of::log, "xfs"}};

bool wants(const Wanted& wanted, Of of) {
  const bool asked[] = {true, wanted.requests, wanted.submissions, wanted.dirty, wanted.journal, wanted.log};
  return asked[static_cast<int>(of)];
}

// A tracepoint of the kernel itself, or of a module that is loaded.
bool is_there(const Libbpf& bpf, const Point& point) {
  if (point.module == nullptr) return true;
  if (*point.module != '\0' && ::access((std::string("/sys/kernel/btf/") + point.module).c_str(), F_OK) == 0)
    return true;
  return bpf.find_in_kernel(point.tracepoint, BPF_TRACE_RAW_TP) > 0;
}

// As in split.bpf.c.
struct Setup {
  std::uint32_t place_shift, granule_shift, bio_mask, task_mask, any_long, submissions;
  std::uint32_t disks[kMostDisks];
  std::uint64_t namespace_dev, namespace_inode;
};
constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO: the machine's own

// The last line that libbpf had to say: the cause of an error.
std::string& last_words() {
  static std::string words;
  return words;
}
int listen(enum libbpf_print_level level, const char* format, va_list arguments) {
  if (level != LIBBPF_WARN) return 0;
  char line[512];
  std::vsnprintf(line, sizeof line, format, arguments);
  last_words() = line;
  while (!last_words().empty() && last_words().back() == '\n') last_words().pop_back();
  return 0;
}

base::Error refused(const char* what, int err) {
  auto e = base::system_error(what, err);
  if (err == EPERM || err == EACCES)
    e.cause = "it takes CAP_BPF and CAP_PERFMON (or root), and no lockdown";
  else if (::access("/sys/kernel/btf/vmlinux", F_OK) != 0)
    e.cause = "this kernel has no BTF (/sys/kernel/btf/vmlinux)";
  else if (!last_words().empty())
    e.cause = last_words();
  return e;
}

struct Sizes {
  std::uint32_t lines, places, bios, tasks;
  Setup setup;
};

std::uint32_t power_of_two(std::uint32_t least, std::uint32_t wanted) { return std::bit_ceil(std::max(least, wanted)); }

Sizes sizes_for(const Wanted& wanted) {
  Sizes s{};
  s.lines = std::max(1u, wanted.slots);
  s.places = power_of_two(1024, s.lines * 8);
  s.bios = power_of_two(1024, s.lines * 8);
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

class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping&) = delete;
  ~Mapping() {
    if (at_ != MAP_FAILED) ::munmap(at_, bytes_);
  }
  int map(int fd, std::size_t bytes) {
    bytes_ = bytes;
    at_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at_ == MAP_FAILED ? errno : 0;
  }
  template <class T>
  std::span<T> as(std::size_t n) const {
    return {static_cast<T*>(at_), n};
  }

 private:
  void* at_ = MAP_FAILED;
  std::size_t bytes_ = 0;
};

}  // namespace

struct SplitPrograms::State {
  const Libbpf* bpf = nullptr;
  bpf_object* object = nullptr;
  std::vector<const Point*> points;
  std::vector<bpf_link*> links;
  base::system::UniqueFd measuring;
  Mapping lines, places, tasks, past, counts;
  fathom::split::Region region;

  ~State() {
    for (auto* link : links) bpf->detach(link);
    if (object != nullptr) bpf->close(object);
  }
  bool follows(Of of) const {
    return std::any_of(points.begin(), points.end(), [of](const Point* point) { return point->of == of; });
  }
  base::Expected<void> open(const Wanted& wanted, const Sizes& sizes);
  base::Expected<void> map_all(const Sizes& sizes);
  int map_one(const char* name, std::size_t bytes, Mapping& to) const {
    auto* const map = bpf->find_map(object, name);
    return map == nullptr ? ENOENT : to.map(bpf->map_fd(map), bytes);
  }
};

base::Expected<void> SplitPrograms::State::open(const Wanted& wanted, const Sizes& sizes) {
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = "fathom";
  object = bpf->open(kObject, sizeof kObject, &options);
  if (object == nullptr) return refused("open BPF programs", errno);
  const std::pair<const char*, std::uint32_t> maps[] = {
      {"lines", sizes.lines}, {"places", sizes.places}, {"bios", sizes.bios}, {"tasks", sizes.tasks}};
  for (const auto& [name, entries] : maps) bpf->set_max_entries(bpf->find_map(object, name), entries);
  for (const auto& point : kPoints) {
    if (wants(wanted, point.of) && is_there(*bpf, point))
      points.push_back(&point);
    else
      bpf->set_autoload(bpf->find_program(object, point.program), false);
  }
  std::size_t bytes = 0;
  auto* const constants = bpf->find_map(object, ".rodata");
  void* const values = constants == nullptr ? nullptr : const_cast<void*>(bpf->initial_value(constants, &bytes));
  if (values == nullptr || bytes < sizeof sizes.setup) return refused("set up BPF programs", EINVAL);
  std::memcpy(values, &sizes.setup, sizeof sizes.setup);
  if (const int err = bpf->load(object); err != 0) return refused("load BPF programs", -err);
  return {};
}

base::Expected<void> SplitPrograms::State::map_all(const Sizes& sizes) {
  using namespace fathom::split;
  int err = map_one("lines", sizes.lines * sizeof(Line), lines);
  if (err == 0) err = map_one("places", sizes.places * sizeof(Bucket), places);
  if (err == 0) err = map_one("tasks", sizes.tasks * sizeof(Task), tasks);
  if (err == 0) err = map_one("past", sizeof(Past), past);
  if (err == 0) err = map_one(".bss", sizeof(std::uint64_t), counts);
  if (err != 0) return base::system_error("map what BPF programs share", err);
  region = {lines.as<Line>(sizes.lines), places.as<Bucket>(sizes.places), tasks.as<Task>(sizes.tasks),
            past.as<Past>(1).data(),     sizes.setup.place_shift,         sizes.setup.granule_shift};
  region.submissions = follows(Of::submissions);
  return {};
}

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load(const Wanted& wanted) {
  const auto bpf = libbpf();
  if (!bpf) return bpf.error();
  auto state = std::make_unique<State>();
  state->bpf = *bpf;
  last_words().clear();
  state->bpf->set_print(listen);
  const Sizes sizes = sizes_for(wanted);
  if (auto ok = state->open(wanted, sizes); !ok) return ok.error();
  if (auto ok = state->map_all(sizes); !ok) return ok.error();
  return std::unique_ptr<SplitPrograms>(new SplitPrograms(std::move(state)));
}

SplitPrograms::SplitPrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
SplitPrograms::~SplitPrograms() = default;

const fathom::split::Region& SplitPrograms::region() const { return state_->region; }

// What ends comes before what begins, so that nothing that is under way is begun and never seen to end.
base::Expected<void> SplitPrograms::attach() {
  auto& s = *state_;
  for (auto at = s.points.rbegin(); at != s.points.rend(); ++at) {
    auto* const link = s.bpf->attach(s.bpf->find_program(s.object, (*at)->program));
    if (link == nullptr) {
      const int err = errno;
      detach();
      return refused("attach a BPF program", err);
    }
    s.links.push_back(link);
  }
  return {};
}

void SplitPrograms::detach() {
  for (auto* link : state_->links) state_->bpf->detach(link);
  state_->links.clear();
}

std::vector<std::string> SplitPrograms::tracepoints() const {
  std::vector<std::string> out;
  for (const auto* point : state_->points) out.push_back(std::string(point->system) + ":" + point->tracepoint);
  return out;
}

bool SplitPrograms::follows_submissions() const { return state_->follows(Of::submissions); }
bool SplitPrograms::follows_journal() const { return state_->follows(Of::journal); }
bool SplitPrograms::follows_log() const { return state_->follows(Of::log); }

void SplitPrograms::measure(bool on) { state_->measuring.reset(on ? bpf::measure_run_times() : -1); }

bpf::RunTime SplitPrograms::run_time() const {
  bpf::RunTime sum;
  for (const auto* point : state_->points) {
    const auto one = bpf::run_time(state_->bpf->program_fd(state_->bpf->find_program(state_->object, point->program)));
    sum.ns += one.ns;
    sum.runs += one.runs;
  }
  return sum;
}

std::uint64_t SplitPrograms::no_room() const { return state_->counts.as<std::uint64_t>(1)[0]; }

std::uint64_t SplitPrograms::missed_runs() const {
  std::uint64_t runs = 0;
  for (const auto* point : state_->points)
    runs += bpf::missed_runs(state_->bpf->program_fd(state_->bpf->find_program(state_->object, point->program)));
  return runs;
}

}  // namespace fathom::pmu::trace::programs
