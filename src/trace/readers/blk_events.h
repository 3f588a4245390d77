// From records of a block trace to events. A queue record (Q) becomes an event; completions (C) give it a response time.
// Problem: a bio may be split or merged, so the extent of a completion differs from that of its Q. Each Q keeps the
// sectors that are not completed yet; a completion takes its sectors off the oldest Qs of that device and direction.
// Events leave in the order of their Qs. A Q without a completion leaves when kMostPending others wait behind it, or
// after kLongest_ns of the trace.
// Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/event.h"
#include "trace/ledger.h"
#include "trace/readers/blk_record.h"

namespace fathom::trace::readers {

class BlkEvents {
 public:
  static constexpr std::size_t kMostPending = 65'536;
  static constexpr std::uint64_t kLongest_ns = 60'000'000'000;
  static constexpr std::uint64_t kFlushBio_ns = 100'000'000;  // from the end of a flush's request to that of its bio

  // unit: of a place, "line" or "record".
  explicit BlkEvents(std::string_view unit) : ledger_(unit) {}
  // place: of the record, for what is skipped.
  void take(const BlkRecord& record, std::uint64_t place);
  // True: `event` is the next one. `all`: no record follows, so nothing is waited for.
  bool pop(Event& event, bool all);
  bool saw_completions() const { return saw_completions_; }
  // Without completions no Q waits for one.
  void expect_completions(bool expected) { waits_ = expected; }
  std::uint64_t without_response() const { return without_response_; }
  const Ledger& ledger() const { return ledger_; }

 private:
  enum class Kind : std::uint8_t { read, write, trim, flush };
  struct Range {
    std::uint64_t begin, end;  // sectors
  };
  struct Pending {
    Event event;
    std::uint64_t key;                     // of the device and kind
    std::uint64_t begin = 0;               // first sector: its place in `starts`
    std::vector<Range> open = {};          // not completed yet
    std::uint64_t flushed_ns = kNotKnown;  // of a flush: its request completed, its bio perhaps not yet
    bool done = false;
  };
  // The pending Qs of a device and kind, by first sector. longest: no Q of them has more sectors.
  struct Lane {
    std::multimap<std::uint64_t, std::uint64_t> starts;  // sector, serial number
    std::uint64_t longest = 0;
    std::uint64_t issued_ns = kNotKnown;  // of the latest flush
  };

  static Kind kind_of(const BlkRecord& record);
  static std::uint64_t key_of(std::uint32_t device, Kind kind);
  void queue(const BlkRecord& record, std::uint64_t place);
  void complete(const BlkRecord& record);
  void complete_flush_request(Lane& lane, std::uint64_t time_ns);
  void complete_flush_bio(std::uint32_t device, std::uint64_t time_ns);
  void finish(std::uint64_t serial, std::uint64_t time_ns);
  void forget(const Pending& pending, std::uint64_t serial);
  Pending& pending(std::uint64_t serial) { return pending_[serial - first_]; }

  Ledger ledger_;
  std::deque<Pending> pending_;
  std::uint64_t first_ = 0;  // serial number of pending_.front()
  std::unordered_map<std::uint64_t, Lane> lanes_;
  std::vector<std::uint64_t> hits_;  // reused
  std::uint64_t begun_ns_ = kNotKnown, now_ns_ = 0, without_response_ = 0;
  bool saw_completions_ = false, waits_ = true;
};

}  // namespace fathom::trace::readers
