// Calibrates the CPU clock: collects frequency claims, and the brackets that prove or refute them.
#include "clock/sources/calibration.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/system/affinity.h"
#include "base/system/fd.h"

namespace fathom::clock::sources {
namespace {

constexpr unsigned kBurst = 8;                    // brackets per look
constexpr std::uint64_t kFirstPauseNs = 100'000;  // each further pause is half as long again
constexpr std::uint64_t kMaxPauseNs = 2'000'000;
constexpr std::uint64_t kPatienceNs = 15'000'000;
// Used for a clock that is so slow that its rate is not known by then.
constexpr std::uint64_t kMostPatienceNs = 150'000'000;
constexpr double kGoodEnoughPpm = 20;  // a measured rate is refined down to this error

enum class EventOf : std::uint8_t { cpu, task };

base::system::UniqueFd open_event(EventOf of) {
  perf_event_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.exclude_kernel = 1;
  attr.exclude_hv = 1;
  const int pid = of == EventOf::task ? 0 : -1, cpu = of == EventOf::task ? -1 : std::max(0, ::sched_getcpu());
  return base::system::UniqueFd(
      static_cast<int>(::syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
}

// The page that the kernel maps for a perf event contains time_mult and time_shift: ns = (ticks * mult) >> shift.
std::optional<FrequencyClaim> kernel_claim(const base::system::UniqueFd& event) {
  if (!event) return std::nullopt;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* map = ::mmap(nullptr, page, PROT_READ, MAP_SHARED, event.get(), 0);
  if (map == MAP_FAILED) return std::nullopt;
  const auto* info = static_cast<const perf_event_mmap_page*>(map);
  std::optional<FrequencyClaim> claim;
  if (info->cap_user_time && info->time_mult != 0 && info->time_shift < 64) {
    const auto conversion = Conversion::of_kernel(info->time_mult, info->time_shift);
    claim = FrequencyClaim{conversion.ticks_per_second(), "perf_event cap_user_time", conversion};
  }
  ::munmap(map, page);
  return claim;
}

// A CPU event needs a privilege, and costs 0.1 ms. A task event needs no privilege. The first one makes the kernel
// patch its scheduler, which takes 7 to 13 ms. It is opened only if the CPU event was refused and there is no other
// claim.
std::vector<FrequencyClaim> all_claims(const FrequencyClaim* earlier) {
  std::vector<FrequencyClaim> claims;
  const auto event = open_event(EventOf::cpu);
  if (auto claim = kernel_claim(event)) claims.push_back(std::move(*claim));
  for (auto& claim : frequency_claims()) claims.push_back(std::move(claim));
  if (earlier) claims.push_back(*earlier);
  if (event || !claims.empty()) return claims;
  if (auto claim = kernel_claim(open_event(EventOf::task))) claims.push_back(std::move(*claim));
  return claims;
}

bool plausible(const RateRange& range) { return range.low_hz >= kLowestHz && range.high_hz <= kHighestHz; }

// One calibration. It adds brackets until a claim is proven, or the measured rate is accurate enough.
class Inquiry {
 public:
  Inquiry(std::span<const FrequencyClaim> claims, const Reference& reference)
      : claims_(claims.begin(), claims.end()), reference_(reference) {}

  Calibration answer() {
    look();
    for (std::uint64_t pause = kFirstPauseNs; goes_on(); pause = std::min(pause * 3 / 2, kMaxPauseNs)) {
      reference_.pause(pause);
      look();
      const auto range = rate_of(brackets_);
      if (!range || !plausible(*range)) continue;
      drop_refuted(*range);
      if (auto taken = proven_claim(*range)) return *taken;
      if (claims_.empty() && range->bound_ppm() <= kGoodEnoughPpm) return measured(*range);
    }
    return out_of_patience();
  }

 private:
  void look() {
    for (unsigned i = 0; i < kBurst; ++i) brackets_.push_back(reference_.read());
  }
  bool goes_on() const {
    if (spent_ns() < kPatienceNs) return true;
    const auto range = rate_of(brackets_);
    return range && plausible(*range) && range->bound_ppm() > kMaxErrorPpm && spent_ns() < kMostPatienceNs;
  }
  std::uint64_t spent_ns() const { return brackets_.back().after_ns - brackets_.front().before_ns; }

  void drop_refuted(const RateRange& range) {
    const auto refuted = std::stable_partition(claims_.begin(), claims_.end(), [&](const FrequencyClaim& c) {
      return range.holds(c.hz) || range.error_ppm(c.hz) <= kMaxErrorPpm;
    });
    for (auto c = refuted; c != claims_.end(); ++c)
      notes_.push_back(
          fmt::format("{} reports {:.6f} MHz, but CLOCK_MONOTONIC_RAW shows {:.6f} MHz ± {:.1f} ppm: not used",
                      c->method, c->hz / 1e6, range.middle_hz() / 1e6, range.bound_ppm()));
    claims_.erase(refuted, claims_.end());
  }

  std::optional<Calibration> proven_claim(const RateRange& range) const {
    if (claims_.empty() || range.error_ppm(claims_[0].hz) > kMaxErrorPpm) return std::nullopt;
    const auto& c = claims_[0];
    return Calibration{
        Source::cpu, c.conversion.value_or(Conversion::of_frequency(c.hz)), c.hz, c.method, range.error_ppm(c.hz),
        notes_};
  }

  Calibration measured(const RateRange& range) const {
    const double hz = range.middle_hz();
    auto method = fmt::format("CLOCK_MONOTONIC_RAW over {:.1f} ms", static_cast<double>(spent_ns()) / 1e6);
    return {Source::cpu, Conversion::of_frequency(hz), hz, std::move(method), range.bound_ppm(), notes_};
  }

  Calibration out_of_patience() {
    const auto range = rate_of(brackets_);
    for (const auto& c : claims_)
      notes_.push_back(
          fmt::format("{} reports {:.6f} MHz, which could not be confirmed: not used", c.method, c.hz / 1e6));
    const bool usable = range && plausible(*range);
    if (usable && range->bound_ppm() <= kMaxErrorPpm) return measured(*range);
    notes_.push_back(usable ? fmt::format("the CPU clock's rate is known only to ± {:.0f} ppm", range->bound_ppm())
                            : std::string("the CPU clock shows no constant rate against CLOCK_MONOTONIC_RAW"));
    return {Source::clock_gettime, Conversion::identity(), 1e9, "clock counts nanoseconds", 0, notes_};
  }

  std::vector<FrequencyClaim> claims_;
  const Reference& reference_;
  std::vector<Bracket> brackets_;
  std::vector<std::string> notes_;
};

}  // namespace

bool cpu_clock_invariant() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1u << 8)) != 0;
#else
  return true;
#endif
}

Calibration calibrate_cpu(std::span<const FrequencyClaim> claims, const Reference& reference) {
  return Inquiry(claims, reference).answer();
}

Calibration calibrate(Source source, const FrequencyClaim* earlier) {
  if (source != Source::cpu) return {source, Conversion::identity(), 1e9, "clock counts nanoseconds", 0, {}};
  const base::system::StayOnThisCpu stay;
  const auto pause = [](std::uint64_t ns) {
    const timespec time{0, static_cast<long>(ns)};
    ::nanosleep(&time, nullptr);
  };
  return calibrate_cpu(all_claims(earlier), {[] { return read_bracket(); }, pause});
}

}  // namespace fathom::clock::sources
