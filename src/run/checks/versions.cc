// Keeps the number of the last write of each unit of the targets.
#include "run/checks/versions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>

namespace fathom::run::checks {
namespace {

// A unit contains the write's number plus 1 in the low 48 bits (0: never written), then the number of writes in flight.
// Its top bit is set if the order of its writes is unknown.
constexpr unsigned kNumberBits = 48;
constexpr std::uint64_t kNumberMask = (std::uint64_t{1} << kNumberBits) - 1;
constexpr std::uint64_t kTrimmed = kNumberMask;  // instead of a number
constexpr std::uint64_t kOneInFlight = std::uint64_t{1} << kNumberBits;
constexpr std::uint64_t kUnordered = std::uint64_t{1} << 63;
constexpr std::uint64_t kInFlightMask = ~(kNumberMask | kUnordered);

// Another thread may read the unit at the same time.
std::uint64_t load(std::uint64_t& unit) { return std::atomic_ref(unit).load(std::memory_order_relaxed); }
void store(std::uint64_t& unit, std::uint64_t value) { std::atomic_ref(unit).store(value, std::memory_order_relaxed); }

std::uint64_t entry_of(std::uint64_t number) { return (number + 1) & kNumberMask; }

base::Error no_map(const std::string& what, int err) {
  base::Error error;
  error.kind = base::ErrorKind::io;
  error.what = "no room for the map of writes of verify=: " + what;
  error.cause = "8 bytes for each block that may be written more than once";
  error.sys_errno = err;
  return error;
}

// Maps zeroes, backed by an unnamed file.
base::Expected<void*> map_of_file(std::uint64_t bytes, const char* folder) {
  const int fd = ::open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return no_map(std::string("a file in ") + folder, errno);
  if (::ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int err = errno;
    ::close(fd);
    return no_map(std::string("a file in ") + folder, err);
  }
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  const int err = errno;
  ::close(fd);
  if (map == MAP_FAILED) return no_map(std::string("a file in ") + folder, err);
  return map;
}

base::Expected<void*> map_of_memory(std::uint64_t bytes) {
  void* const map = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (map == MAP_FAILED) return no_map("memory", errno);
  return map;
}

}  // namespace

void Versions::Unmap::operator()(std::uint64_t* map) const { ::munmap(map, bytes); }

base::Expected<Versions> Versions::make(std::span<const io::Target> targets, std::uint32_t unit, const char* folder) {
  Versions made;
  made.unit_ = unit;
  std::uint64_t units = 0;
  for (const auto& target : targets) {
    const std::uint64_t own = (target.length + unit - 1) / unit;
    made.windows_.push_back({target.start, units, own});
    units += own;
  }
  const std::uint64_t bytes = std::max<std::uint64_t>(units, 1) * sizeof(std::uint64_t);
  auto map = bytes > kMemoryBytes ? map_of_file(bytes, folder) : map_of_memory(bytes);
  if (!map) return map.error();
  made.map_ = {static_cast<std::uint64_t*>(*map), Unmap{bytes}};
  return made;
}

// Returns all units that the range touches, including those that it covers partly.
std::span<std::uint64_t> Versions::units_of(std::uint16_t target, std::uint64_t offset, std::uint64_t length) const {
  const Window& window = windows_[target];
  if (offset < window.begin || length == 0) return {};
  const std::uint64_t begin = (offset - window.begin) / unit_;
  const std::uint64_t end = std::min((offset - window.begin + length - 1) / unit_ + 1, window.units);
  if (begin >= end) return {};
  return {map_.get() + window.first_unit + begin, end - begin};
}

bool Versions::issued(const io::Request& write, std::uint64_t number) { return put(write, entry_of(number)); }
void Versions::trim_issued(const io::Request& trim) { put(trim, kTrimmed); }

bool Versions::put(const io::Request& request, std::uint64_t entry) {
  bool overlaps = false;
  for (std::uint64_t& place : units_of(request.target, request.offset, request.length)) {
    const std::uint64_t in_flight = load(place) & kInFlightMask;
    std::uint64_t unit = entry | (in_flight == 0 ? 0 : kUnordered | in_flight);
    if (in_flight != kInFlightMask) unit += kOneInFlight;
    store(place, unit);
    overlaps |= in_flight != 0;
  }
  return overlaps;
}

void Versions::ended(const io::Request& write, bool well) {
  for (std::uint64_t& place : units_of(write.target, write.offset, write.length)) {
    std::uint64_t unit = load(place);
    if ((unit & kInFlightMask) != 0) unit -= kOneInFlight;
    if (!well) unit |= kUnordered;
    store(place, unit);
  }
}

bool Versions::is_trimmed(const io::Request& range) const {
  const auto units = units_of(range.target, range.offset, range.length);
  return !units.empty() &&
         std::all_of(units.begin(), units.end(), [](std::uint64_t& unit) { return load(unit) == kTrimmed; });
}

bool Versions::is_last_somewhere(const io::Request& write, std::uint64_t number) const {
  const auto units = units_of(write.target, write.offset, write.length);
  return std::any_of(units.begin(), units.end(),
                     [&](std::uint64_t& unit) { return (load(unit) & kNumberMask) == entry_of(number); });
}

// A write in flight may or may not have reached the device.
Versions::Last Versions::last(std::uint16_t target, std::uint64_t offset, std::uint64_t length) const {
  const auto units = units_of(target, offset, length);
  if (units.empty()) return {};
  const std::uint64_t first = load(units[0]) & kNumberMask;
  const bool one = std::all_of(units.begin(), units.end(), [&](std::uint64_t& place) {
    const std::uint64_t unit = load(place);
    return (unit & (kUnordered | kInFlightMask)) == 0 && (unit & kNumberMask) == first;
  });
  if (!one) return {Standing::unordered, first == 0 ? 0 : first - 1};
  if (first == 0 || first == kTrimmed) return {};
  return {Standing::one, first - 1};
}

}  // namespace fathom::run::checks
