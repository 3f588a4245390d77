// Calibration of the CPU clock: the kernel's conversion, or a measured one.
#include "clock/calibration.h"

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "base/fd.h"

namespace fathom::clock {
namespace {

std::uint64_t raw_ns() {
  timespec ts;
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000ull + static_cast<std::uint64_t>(ts.tv_nsec);
}

ClockPair read_pair() {
  const std::uint64_t before = raw_ns();
  const std::uint64_t ticks = CpuClock::now().v;
  const std::uint64_t after = raw_ns();
  return {before + (after - before) / 2, ticks, after - before};
}

template <std::size_t N>
std::array<ClockPair, N> read_pairs() {
  std::array<ClockPair, N> pairs;
  for (auto& p : pairs) p = read_pair();
  return pairs;
}

// The page that the kernel maps beside a perf event carries time_mult and time_shift: ns = (ticks * mult) >> shift.
std::optional<Conversion> kernel_conversion() {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  base::UniqueFd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (!fd) return std::nullopt;
  const long page = ::sysconf(_SC_PAGESIZE);
  void* map = ::mmap(nullptr, static_cast<std::size_t>(page), PROT_READ, MAP_SHARED, fd.get(), 0);
  if (map == MAP_FAILED) return std::nullopt;
  const auto* info = static_cast<const perf_event_mmap_page*>(map);
  std::optional<Conversion> conversion;
  if (info->cap_user_time && info->time_mult != 0) conversion = Conversion{info->time_mult, info->time_shift};
  ::munmap(map, static_cast<std::size_t>(page));
  return conversion;
}

double measured_frequency() {
  const auto begin = read_pairs<32>();
  timespec pause{0, 10'000'000};
  ::nanosleep(&pause, nullptr);
  const auto end = read_pairs<32>();
  return frequency_of(begin, end);
}

}  // namespace

bool cpu_clock_invariant() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
#else
  return true;
#endif
}

double frequency_of(std::span<const ClockPair> begin, std::span<const ClockPair> end) {
  const auto narrower = [](const ClockPair& a, const ClockPair& b) { return a.width_ns < b.width_ns; };
  if (begin.empty() || end.empty()) return 0;
  const auto a = *std::min_element(begin.begin(), begin.end(), narrower);
  const auto b = *std::min_element(end.begin(), end.end(), narrower);
  if (b.reference_ns <= a.reference_ns || b.ticks <= a.ticks) return 0;
  return static_cast<double>(b.ticks - a.ticks) * 1e9 / static_cast<double>(b.reference_ns - a.reference_ns);
}

Calibration calibrate(Source source) {
  if (source != Source::cpu) return {source, Conversion::identity(), 1e9, "clock counts nanoseconds"};
  if (const auto kernel = kernel_conversion()) {
    const double hz = 1e9 * std::ldexp(1.0, static_cast<int>(kernel->shift)) / static_cast<double>(kernel->mult);
    return {source, *kernel, hz, "perf_event cap_user_time"};
  }
  const double hz = measured_frequency();
  if (hz <= 0)
    return {Source::clock_gettime, Conversion::identity(), 1e9, "the CPU clock did not advance: clock_gettime"};
  return {source, Conversion::of_frequency(hz), hz, "CLOCK_MONOTONIC_RAW over 10 ms"};
}

}  // namespace fathom::clock
