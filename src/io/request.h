// The types of one I/O, shared by workload/ (makes requests), run/ (takes their timestamps) and engine/ (performs
// them).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace fathom::io {

enum class Dir : std::uint8_t { read = 0, write = 1, trim = 2, sync = 3 };
inline constexpr std::size_t kDataDirs = 3;  // directions that move bytes and have percentiles

[[gnu::always_inline]] constexpr std::size_t index(Dir d) { return static_cast<std::size_t>(d); }
constexpr const char* name(Dir d) {
  constexpr const char* names[] = {"read", "write", "trim", "sync"};
  return names[index(d)];
}

// One value for each of read, write, trim: fio's comma-separated option values.
template <class T>
using PerDir = std::array<T, kDataDirs>;

enum RequestFlags : std::uint8_t {
  kDataSync = 1,         // for Dir::sync: fdatasync instead of fsync; for a write: RWF_DSYNC, if the engine has it
  kRangeSyncMask = 0xe,  // if any is set: sync_file_range of offset and length, with these flags of that call
};
inline constexpr unsigned kRangeSyncShift = 1;          // position of its flags
inline constexpr std::uint32_t kToTheEnd = 0x7fffffff;  // length of a range that is this long or longer

// One I/O to perform. 24 bytes; workload/ makes them in blocks, engines read them.
struct Request {
  std::uint64_t offset = 0;  // bytes from the start of the target
  std::uint64_t due_ns = 0;  // intended start, ns after the job's start, at least 1; 0 when not paced. See is_paced()
  std::uint32_t length = 0;  // bytes; 0 for sync without a range
  std::uint16_t target = 0;  // index into the job's targets
  Dir dir = Dir::read;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Request) == 24);

constexpr bool is_paced(const Request& request) { return static_cast<std::int64_t>(request.due_ns) > 0; }

// The time of a paced request that is not known yet. No I/O is due so late.
inline constexpr std::uint64_t kHeld_ns = ~std::uint64_t{0} >> 1;

// A read that verifies a write is never paced. The same member has the complement of that write's number.
constexpr void note_write(Request& read, std::uint64_t number) { read.due_ns = ~number; }
constexpr std::uint64_t noted_write(const Request& read) { return ~read.due_ns; }
constexpr bool is_noted(const Request& read) { return static_cast<std::int64_t>(read.due_ns) < 0; }

// An engine's result of one finished I/O: the slot of its post, and bytes moved or -errno.
struct Completion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;
};
static_assert(sizeof(Completion) == 8);

}  // namespace fathom::io
