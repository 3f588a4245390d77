// The first tracepoint on a CPU owns the ring; the others write into it.
#include "pmu/trace/tracepoints.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/system/cpu_list.h"
#include "host/proc/text_file.h"
#include "pmu/open_errors.h"

namespace fathom::pmu::trace {
namespace {

constexpr std::size_t kMostRingBytes = 1 << 20, kLeastRingBytes = 1 << 15;

perf_event_attr attributes(std::uint16_t id) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_TRACEPOINT;
  attr.config = id;
  attr.sample_period = 1;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW;
  attr.disabled = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC_RAW;
  attr.watermark = 1;
  return attr;
}

base::Error cannot_open(int err) {
  events::Event event;
  event.name = "block:*";
  event.pmu = "tracepoint";
  auto error = open_error(event, err, true, read_paranoid());
  error.what = base::system_error("open the block layer's tracepoints", err).what;
  return error;
}

}  // namespace

struct Tracepoints::Cpu {
  const PerfCalls& calls;
  std::vector<int> fds;  // the first owns the ring
  void* mapped = MAP_FAILED;
  std::size_t ring_bytes = 0;
  explicit Cpu(const PerfCalls& c) : calls(c) {}
  Cpu(const Cpu&) = delete;
  ~Cpu() {
    if (mapped != MAP_FAILED) ::munmap(mapped, page() + ring_bytes);
    for (const int fd : fds) calls.close(fd);
  }
  static std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }
  perf_event_mmap_page& control() const { return *static_cast<perf_event_mmap_page*>(mapped); }
  std::span<const std::byte> data() const { return {static_cast<const std::byte*>(mapped) + page(), ring_bytes}; }
  // As large as perf's limit on locked memory permits.
  int map() {
    for (ring_bytes = kMostRingBytes; ring_bytes >= kLeastRingBytes; ring_bytes /= 2) {
      mapped = ::mmap(nullptr, page() + ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fds.front(), 0);
      if (mapped != MAP_FAILED) return 0;
    }
    return errno;
  }
  int open(std::uint16_t id, int cpu, const std::string& filter) {
    auto attr = attributes(id);
    attr.wakeup_watermark = static_cast<std::uint32_t>((ring_bytes != 0 ? ring_bytes : kMostRingBytes) / 4);
    const int fd = calls.open(&attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0) return -fd;
    fds.push_back(fd);
    if (!filter.empty())
      if (const int err = calls.control(fd, PERF_EVENT_IOC_SET_FILTER, reinterpret_cast<unsigned long>(filter.c_str())))
        return -err;
    if (fds.size() == 1) return map();
    return -calls.control(fd, PERF_EVENT_IOC_SET_OUTPUT, static_cast<unsigned long>(fds.front()));
  }
};

Tracepoints::Tracepoints(const PerfCalls& calls) : calls_(&calls) {}
Tracepoints::Tracepoints(Tracepoints&&) noexcept = default;
Tracepoints& Tracepoints::operator=(Tracepoints&&) noexcept = default;
Tracepoints::~Tracepoints() = default;

base::Expected<Tracepoints> Tracepoints::open(std::span<const std::uint16_t> ids, const std::string& filter,
                                              const PerfCalls& calls) {
  Tracepoints points(calls);
  for (const int cpu : base::system::kernel_cpu_list(host::proc::read_line("/sys/devices/system/cpu/online"))) {
    auto& one = *points.cpus_.emplace_back(std::make_unique<Cpu>(calls));
    for (const auto id : ids)
      if (const int err = one.open(id, cpu, filter); err != 0) return cannot_open(err);
  }
  if (points.cpus_.empty()) return cannot_open(ENODEV);
  return points;
}

void Tracepoints::control_all(unsigned long request) {
  for (const auto& cpu : cpus_)
    for (const int fd : cpu->fds) calls_->control(fd, request, 0);
}
void Tracepoints::enable() { control_all(PERF_EVENT_IOC_ENABLE); }
void Tracepoints::disable() { control_all(PERF_EVENT_IOC_DISABLE); }

bool Tracepoints::wait(int timeout_ms) {
  std::vector<pollfd> fds;
  for (const auto& cpu : cpus_) fds.push_back({cpu->fds.front(), POLLIN, 0});
  ::poll(fds.data(), fds.size(), timeout_ms);
  for (const auto& p : fds)
    if ((p.revents & (POLLHUP | POLLERR | POLLNVAL)) != 0) return false;
  return true;
}

void Tracepoints::read(const std::function<void(const TraceSample&)>& take) {
  for (const auto& cpu : cpus_) {
    auto& control = cpu->control();
    // The kernel writes a record before it advances the head, and overwrites nothing before the tail.
    const std::uint64_t head = std::atomic_ref<__u64>(control.data_head).load(std::memory_order_acquire);
    const bool whole = read_records({cpu->data(), control.data_tail, head}, scratch_, [&](const PerfRecord& record) {
      if (record.type == PERF_RECORD_LOST) lost_ += parse_lost(record.payload);
      if (record.type != PERF_RECORD_SAMPLE) return;
      if (const auto sample = parse_sample(record.payload)) take(*sample);
    });
    if (!whole) ++lost_;
    std::atomic_ref<__u64>(control.data_tail).store(head, std::memory_order_release);
  }
}

std::size_t Tracepoints::ring_bytes() const {
  std::size_t bytes = 0;
  for (const auto& cpu : cpus_) bytes += cpu->ring_bytes;
  return bytes;
}

std::string device_filter(std::span<const std::uint32_t> devices) {
  std::string filter;
  for (const auto device : devices) filter += (filter.empty() ? "dev == " : " || dev == ") + std::to_string(device);
  return filter;
}

}  // namespace fathom::pmu::trace
