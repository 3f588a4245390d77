// The vocabulary of one I/O, shared by workload/ (which makes requests), run/ (which stamps them) and engine/ (which
// does them).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace fathom::io {

enum class Dir : std::uint8_t { read = 0, write = 1, trim = 2, sync = 3 };
inline constexpr std::size_t kDataDirs = 3;  // the directions that move bytes and carry percentiles

[[gnu::always_inline]] constexpr std::size_t index(Dir d) { return static_cast<std::size_t>(d); }
constexpr const char* name(Dir d) {
  constexpr const char* names[] = {"read", "write", "trim", "sync"};
  return names[index(d)];
}

// One value for each of read, write, trim: fio's comma-separated option values.
template <class T>
using PerDir = std::array<T, kDataDirs>;

enum RequestFlags : std::uint8_t {
  kDataSync = 1,         // a Dir::sync that is fdatasync, not fsync
  kRangeSyncMask = 0xe,  // any of them: it is sync_file_range of offset and length, with these flags of that call
};
inline constexpr unsigned kRangeSyncShift = 1;          // of its flags
inline constexpr std::uint32_t kToTheEnd = 0x7fffffff;  // length of a range that is as long or longer

// One I/O to do. 24 bytes; made in blocks by workload/, read by engines.
struct Request {
  std::uint64_t offset = 0;  // bytes from the start of the target
  std::uint64_t due_ns = 0;  // intended start, ns after the job's start, at least 1; 0 when not paced. See is_paced()
  std::uint32_t length = 0;  // bytes; 0 for sync but of a range
  std::uint16_t target = 0;  // index into the job's targets
  Dir dir = Dir::read;
  std::uint8_t flags = 0;
};
static_assert(sizeof(Request) == 24);

constexpr bool is_paced(const Request& request) { return static_cast<std::int64_t>(request.due_ns) > 0; }

// A read that reads back a write is never paced, and has the number of that write in the same place, as its complement.
constexpr void note_write(Request& read, std::uint64_t number) { read.due_ns = ~number; }
constexpr std::uint64_t noted_write(const Request& read) { return ~read.due_ns; }
constexpr bool is_noted(const Request& read) { return static_cast<std::int64_t>(read.due_ns) < 0; }

// What an engine says of one finished I/O: the slot it was posted with, and bytes moved or -errno.
struct Completion {
  std::uint32_t slot = 0;
  std::int32_t result = 0;
};
static_assert(sizeof(Completion) == 8);

}  // namespace fathom::io
