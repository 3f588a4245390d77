// Measures pairs of timestamps, and page faults in scratch maps.
#include "paging/touch/stamp_floor.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <vector>

#include "base/system/fd.h"
#include "paging/classify.h"
#include "paging/touch/access_asm.h"

namespace fathom::paging::touch {
namespace {

constexpr std::size_t kPairs = 4096, kPageBytes = 4096, kFaultPages = 64;

struct Map {
  static constexpr std::size_t kBytes = kFaultPages * kPageBytes;
  void* const at;
  Map(int flags, int fd) : at(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, flags, fd, 0)) {
    if (ok()) ::madvise(at, kBytes, MADV_NOHUGEPAGE);
  }
  Map(const Map&) = delete;
  Map& operator=(const Map&) = delete;
  ~Map() {
    if (ok()) ::munmap(at, kBytes);
  }
  bool ok() const { return at != MAP_FAILED; }
  std::uint32_t& word(std::size_t page) const {
    return *reinterpret_cast<std::uint32_t*>(static_cast<std::byte*>(at) + page * kPageBytes);
  }
};

std::uint64_t at_percent(std::vector<std::uint64_t>& ticks, std::size_t percent) {
  const auto nth = ticks.begin() + static_cast<std::ptrdiff_t>(ticks.size() * percent / 100);
  std::nth_element(ticks.begin(), nth, ticks.end());
  return *nth;
}

template <class Take>
std::vector<std::uint64_t> many(Take take) {
  std::vector<std::uint64_t> ticks(kPairs);
  for (int pass = 0; pass < 2; ++pass)  // the first pass warms up
    for (auto& t : ticks) t = take();
  return ticks;
}

// Waits a different time on each call, up to about 100 ns. So what follows begins at any position within a step of the
// clock.
class Dither {
 public:
  void operator()() {
    state_ = state_ * 1664525 + 1013904223;  // Knuth, "The Art of Computer Programming", 3.3.4
    for (std::uint32_t left = state_ >> 24; left > 0; --left) asm volatile("" : "+r"(left));
  }

 private:
  std::uint32_t state_ = 1;
};

// Median distance between the durations that occur. Durations that differ by one are one rounded step (a step of 10.02
// ns in whole ns). If they form a longer sequence, the clock resolves single ticks.
std::uint64_t step_of(std::vector<std::uint64_t> ticks) {
  constexpr std::uint64_t kRounding = 2;
  std::sort(ticks.begin(), ticks.end());
  std::vector<std::uint64_t> apart;
  std::uint64_t first = ticks.front(), last = first;
  for (const std::uint64_t t : ticks) {
    if (t > last + 1) {
      apart.push_back(t - first);
      first = t;
    } else if (t > first + kRounding) {
      return 1;
    }
    last = t;
  }
  return apart.empty() ? last - first : at_percent(apart, 50);
}

// Omits pairs that were interrupted.
double mean_of_undisturbed(const std::vector<std::uint64_t>& ticks, std::uint64_t median, std::uint64_t step) {
  const std::uint64_t longest = 2 * (median + step);
  double sum = 0, n = 0;
  for (const std::uint64_t t : ticks) {
    if (t > longest) continue;
    sum += static_cast<double>(t);
    ++n;
  }
  return n > 0 ? sum / n : 0;
}

// Uses only accesses for which the kernel counted a fault: fault-around also maps neighboring pages.
template <Stamps S, Touch T>
void fastest_fault(const Map& map, std::uint64_t& fastest) {
  for (std::size_t page = 0; page < kFaultPages; ++page) {
    const FaultCounts before = read_faults();
    const std::uint64_t ticks = TimedAccess<S, T>::timed(map.word(page), 1).ticks;
    if (read_faults().minor != before.minor) fastest = std::min(fastest, ticks);
  }
}

template <Stamps S>
base::Expected<std::uint64_t> fastest_fault() {
  std::uint64_t fastest = std::numeric_limits<std::uint64_t>::max();
  const base::system::UniqueFd file(::memfd_create("fathom-scratch", MFD_CLOEXEC));
  const bool sized = file && ::ftruncate(file.get(), kFaultPages * kPageBytes) == 0;
  const Map fresh(MAP_PRIVATE | MAP_ANONYMOUS, -1), read_first(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  if (!fresh.ok() || !read_first.ok()) return base::system_error("mmap of a scratch map", errno);
  fastest_fault<S, Touch::store>(fresh, fastest);
  fastest_fault<S, Touch::load>(read_first, fastest);
  fastest_fault<S, Touch::store>(read_first, fastest);
  if (sized) {
    const Map filled(MAP_SHARED, file.get()), mapped(MAP_SHARED, file.get());
    if (filled.ok() && mapped.ok()) {
      fastest_fault<S, Touch::store>(filled, fastest);
      fastest_fault<S, Touch::load>(mapped, fastest);
    }
  }
  return fastest;
}

template <Stamps S>
base::Expected<StampFloor> measure() {
  StampFloor floor;
  std::uint32_t word = 0;
  Dither dither;
  floor.step = step_of(many([&] {
    const std::uint64_t begin = stamp_now<S>();
    dither();
    return stamp_now<S>() - begin;
  }));
  // Alternates both, so that activity of the machine affects both.
  std::vector<std::uint64_t> load;
  load.reserve(2 * kPairs);
  auto empty = many([&] {
    dither();
    load.push_back(TimedAccess<S, Touch::load>::timed(word, 0).ticks);
    dither();
    return TimedAccess<S, Touch::empty>::timed(word, 0).ticks;
  });
  load.erase(load.begin(), load.begin() + kPairs);
  floor.empty_p50 = at_percent(empty, 50);
  floor.empty_p99 = at_percent(empty, 99);
  floor.cached_load_p50 = at_percent(load, 50);
  floor.empty_mean = mean_of_undisturbed(empty, floor.empty_p50, floor.step);
  floor.cached_load_mean = mean_of_undisturbed(load, floor.cached_load_p50, floor.step);
  auto lookup = many([&] {
    const std::uint64_t begin = stamp_now<S>();
    read_faults();
    return stamp_now<S>() - begin;
  });
  floor.lookup_p50 = at_percent(lookup, 50);
  auto fault = fastest_fault<S>();
  if (!fault) return fault.error();
  floor.fastest_fault = *fault;
  return floor;
}

using Measure = base::Expected<StampFloor> (*)();
constexpr std::array<Measure, 4> kMeasures = {measure<Stamps::fenced>, measure<Stamps::rdtscp>, measure<Stamps::rdtsc>,
                                              measure<Stamps::clock_gettime>};

}  // namespace

base::Expected<StampFloor> measure_stamp_floor(Stamps stamps) { return kMeasures[static_cast<std::size_t>(stamps)](); }

std::uint64_t slow_threshold(const StampFloor& floor) { return std::max(floor.fastest_fault / 2, floor.empty_p50 + 1); }

}  // namespace fathom::paging::touch
