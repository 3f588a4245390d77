// One record of a recorded trace, whatever its format: plain data. trace/reader.h reads them, workload/ replays them.
// Thread rule: plain data; any thread.
#pragma once
#include <cstdint>

namespace fathom::trace {

enum class Action : std::uint8_t { read, write, trim, sync, datasync, add, open, close };
constexpr bool moves_bytes(Action a) { return a <= Action::trim; }
constexpr bool is_io(Action a) { return a <= Action::datasync; }

inline constexpr std::uint64_t kNotKnown = ~std::uint64_t{0};

struct Event {
  std::uint64_t time_ns = 0;              // of submission, since the start of the trace, as recorded: it may go back
  std::uint64_t offset_bytes = 0;         // from the start of the file or device
  std::uint64_t length_bytes = 0;         // 0 for what moves no byte
  std::uint64_t response_ns = kNotKnown;  // submission to completion, where the trace has it
  std::uint32_t file = 0;                 // index into Reader::files()
  std::uint32_t task = 0;                 // process or thread that submitted it; 0: not known
  Action action = Action::read;
  bool flush_first = false;         // a write that was recorded with a cache flush in front of it
  bool forced_unit_access = false;  // FUA: durable when it completes
  // fio's iolog, version 2: `wait`. Nothing that follows starts before time_ns. Only with action add, which then adds
  // no file.
  bool is_wait = false;
};

}  // namespace fathom::trace
