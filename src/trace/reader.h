// Reads a trace record by record, in bounded memory: a pipe of any length is read once, from its begin to its end.
// A record that cannot be replayed is counted under its reason, never dropped in silence. trace/formats.h opens readers.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/event.h"

namespace fathom::trace {

// What was read and not handed out, by reason. `first` is the place of the first one ("line 7", "record 12").
struct Skipped {
  std::string_view reason;  // a constant: "zero length", "not an I/O record"
  std::uint64_t records = 0;
  std::string first;
};

// What the format can tell. It does not change while reading.
struct Traits {
  std::string_view format;  // row of trace/formats.h: "iolog-3", "blktrace", "msr"
  // False: fio's iolog version 2, whose `wait` lines are all that is known (Event::is_wait). Its other events have the
  // time of the wait before them, or 0.
  bool has_times = true;
  bool has_responses = false;      // Event::response_ns is known: a closed loop can be replayed
  std::uint64_t time_unit_ns = 1;  // resolution of the recorded times
  bool names_files = false;        // files() are names of files or devices; else volumes, to be redirected
};

class Reader {
 public:
  virtual ~Reader() = default;
  // True: `event` is the next record. False: the trace has ended. An error has a place (file, line or record) and ends
  // the reading; what was read before remains valid.
  virtual base::Expected<bool> next(Event& event) = 0;
  virtual const Traits& traits() const = 0;
  // Grows while reading: an event names only files that are in it. At most 65,536 (a request has 16 bits for it).
  virtual const std::vector<std::string>& files() const = 0;
  virtual const std::vector<Skipped>& skipped() const = 0;
  virtual std::uint64_t times_back() const = 0;  // records whose time is before that of their predecessor
  // What was assumed, and what could not be known: sentences for the user. Complete when the trace has ended.
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace fathom::trace
