// The switch is a word that the programs look at first: to detach and attach them would wait for every CPU.
#include "pmu/trace/bpf/block_programs.h"

#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/system/cpu_list.h"
#include "base/system/fd.h"
#include "host/proc/text_file.h"
#include "pmu/trace/bpf/bpf_program.h"
#include "pmu/trace/bpf/bpf_ring.h"
#include "pmu/trace/split/slices.h"
#include "pmu/trace/split/target_map.h"

namespace fathom::pmu::trace::bpf {
namespace {

constexpr std::uint32_t kMostRingBytes = 4 << 20, kLeastRingBytes = 1 << 18;
constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO: the machine's own

base::Error refused(const std::string& what, int err) {
  auto e = base::system_error(what, err);
  if (err == EPERM || err == EACCES) e.cause = "it takes CAP_BPF and CAP_PERFMON (or root), and no lockdown";
  return e;
}

std::optional<PidNamespace> own_namespace() {
  struct stat st {};
  if (::stat("/proc/self/ns/pid", &st) != 0 || st.st_ino == kFirstPidNamespace) return std::nullopt;
  return PidNamespace{split::kernel_dev(st.st_dev), st.st_ino};
}

// The switch and the count that programs and reader share.
class SharedControl {
 public:
  SharedControl() = default;
  SharedControl(const SharedControl&) = delete;
  ~SharedControl() {
    if (at_ != MAP_FAILED) ::munmap(at_, sizeof(BpfControl));
  }
  int map(int fd) {
    at_ = ::mmap(nullptr, sizeof(BpfControl), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at_ == MAP_FAILED ? errno : 0;
  }
  void set_on(bool on) { std::atomic_ref(control().on).store(on ? 1 : 0, std::memory_order_release); }
  std::uint64_t no_room() const { return std::atomic_ref(control().no_room).load(std::memory_order_relaxed); }

 private:
  BpfControl& control() const { return *static_cast<BpfControl*>(at_); }
  void* at_ = MAP_FAILED;
};

class BlockPrograms : public EventSource {
 public:
  BlockPrograms(bpf::Call bpf_call, const PerfCalls& perf_calls) : bpf_call_(bpf_call), perf_calls_(perf_calls) {}
  ~BlockPrograms() override {
    for (const int fd : events_) perf_calls_.close(fd);
  }
  base::Expected<void> make_maps();
  base::Expected<void> attach(BlockPoint point, const EventFormat& format, std::span<const std::uint32_t> devices);

  const char* name() const override { return "BPF programs"; }
  clock::sources::HeldAgainst time() const override { return clock::sources::HeldAgainst::monotonic; }
  double full_rate() const override { return split::kFullProgramRate; }
  void enable() override { control_.set_on(true); }
  void disable() override { control_.set_on(false); }
  bool wait(int timeout_ms) override { return ::usleep(static_cast<useconds_t>(timeout_ms) * 1000), true; }
  void read(const std::function<void(const BlockEvent&)>& take) override {
    ring_->read([&](std::span<const std::byte> bytes) {
      if (const auto event = parse_record(bytes)) take(*event);
    });
    missed_ = 0;
    for (const auto& program : programs_) missed_ += bpf::missed_runs(program.get(), bpf_call_);
  }
  std::uint64_t lost() const override { return control_.no_room() + missed_; }

 private:
  bpf::Call bpf_call_;
  const PerfCalls& perf_calls_;
  base::system::UniqueFd control_fd_, ring_fd_;
  SharedControl control_;
  std::optional<BpfRing> ring_;
  std::vector<base::system::UniqueFd> programs_;
  std::vector<int> events_;
  std::uint64_t missed_ = 0;
};

// As large a ring as the limit of locked memory allows, where there is one (before Linux 5.11).
base::Expected<void> BlockPrograms::make_maps() {
  int made = bpf::make_shared_value(sizeof(BpfControl), bpf_call_);
  if (made < 0) return refused("make a BPF map", -made);
  control_fd_.reset(made);
  if (const int err = control_.map(made); err != 0) return refused("map a BPF map", err);
  std::uint32_t bytes = kMostRingBytes;
  while ((made = bpf::make_ring(bytes, bpf_call_)) < 0 && bytes > kLeastRingBytes) bytes /= 2;
  if (made < 0) return refused("make a BPF ring", -made);
  ring_fd_.reset(made);
  auto ring = BpfRing::map(made, bytes);
  if (!ring) return ring.error();
  ring_.emplace(std::move(*ring));
  return {};
}

base::Expected<void> BlockPrograms::attach(BlockPoint point, const EventFormat& format,
                                           std::span<const std::uint32_t> devices) {
  const auto code =
      assemble({point, {devices.begin(), devices.end()}, control_fd_.get(), ring_fd_.get(), own_namespace()}, format);
  if (!code) return code.error();
  const int program = bpf::load_tracepoint_program(*code, bpf_call_);
  if (program < 0) return refused("load a BPF program for " + format.name, -program);
  programs_.emplace_back(program);

  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = format.id;
  attr.sample_period = 1;
  attr.disabled = 1;
  const auto cpus = base::system::kernel_cpu_list(host::proc::read_line("/sys/devices/system/cpu/online"));
  const int event = perf_calls_.open(&attr, -1, cpus.empty() ? 0 : cpus.front(), -1, PERF_FLAG_FD_CLOEXEC);
  if (event < 0) return refused("open tracepoint " + format.name, -event);
  events_.push_back(event);
  const int err = perf_calls_.control(event, PERF_EVENT_IOC_SET_BPF, static_cast<unsigned long>(program));
  if (err < 0) return refused("attach a BPF program to " + format.name, -err);
  return {};
}

}  // namespace

base::Expected<std::unique_ptr<EventSource>> open_block_programs(const PointFormats& formats,
                                                                 std::span<const std::uint32_t> devices,
                                                                 bpf::Call bpf_call, const PerfCalls& perf_calls) {
  auto source = std::make_unique<BlockPrograms>(bpf_call, perf_calls);
  if (auto ok = source->make_maps(); !ok) return ok.error();
  for (const auto& [point, format] : formats)
    if (auto ok = source->attach(point, format, devices); !ok) return ok.error();
  return std::unique_ptr<EventSource>(std::move(source));
}

}  // namespace fathom::pmu::trace::bpf
