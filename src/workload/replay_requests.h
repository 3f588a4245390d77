// Turns the records of a trace into requests: replay_scale, replay_align, replay_skip, replay_time_scale, flushes, and
// the intended start of each. What cannot be requested is counted by reason. Pure: no clock, no I/O, no allocation per
// record. Rules beyond fio's: docs/replay.md. Thread rule: one owner.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "io/request.h"
#include "job/fields/replay.h"
#include "trace/event.h"
#include "trace/reader.h"

namespace fathom::workload {

enum class ReplaySkipReason : std::uint8_t {
  asked_read,
  asked_write,
  asked_trim,
  asked_sync,
  zero_length,
  too_long,
  beyond_end,
  unaligned,
  no_trim,
  not_writable,
  unknown_file,
};
inline constexpr std::size_t kReplaySkipReasons = 11;
std::string_view text_of(ReplaySkipReason reason);

// The limits of a file or device that is replayed on.
struct ReplayTarget {
  std::uint64_t size_bytes = ~std::uint64_t{0};  // an I/O must end there; ~0: no limit
  bool grows = false;                            // a write beyond the end extends it, and later reads reach as far
  std::uint32_t unit_bytes = 1;                  // offsets and lengths are multiples
};

struct ReplayLimits {
  std::uint64_t largest_bytes = 0xffffffff;  // of one request
  bool trims = true, writes = true;          // the job may do this
  bool dsync_writes = false;                 // a write with io::kDataSync is durable when it completes
};

class ReplayRequests {
 public:
  // Most requests that one record becomes: flush, write, sync.
  static constexpr std::size_t kMost = 3;

  // has_times: of the trace (trace::Traits). `targets`: by file of the trace, or one if the replay is redirected. Files
  // without a target are skipped as unknown.
  ReplayRequests(const job::fields::Replay& options, bool has_times, std::vector<ReplayTarget> targets,
                 ReplayLimits limits);
  // The requests of the next record, at least kMost of room in `out`. Their number may be 0.
  std::size_t make(const trace::Event& event, std::span<io::Request> out);

  std::uint64_t skipped(ReplaySkipReason reason) const { return skipped_[static_cast<std::size_t>(reason)]; }
  std::uint64_t made() const { return made_; }
  std::uint64_t last_due_ns() const { return due_ns_; }
  // A recorded pause, by the options.
  std::uint64_t paused_ns(std::uint64_t recorded_ns) const;
  // Before the targets are known: without limits, so that their ends can be learned.
  void allow(std::size_t file) {
    if (file >= targets_.size()) targets_.resize(file + 1);
  }

 private:
  void advance(std::uint64_t time_ns);
  bool fits(const trace::Event& event, io::Request& request);
  bool skip(ReplaySkipReason reason) {
    ++skipped_[static_cast<std::size_t>(reason)];
    return false;
  }
  bool skips_kind(io::Dir dir);

  const job::fields::Replay options_;
  const bool times_, redirected_;
  std::vector<ReplayTarget> targets_;
  const ReplayLimits limits_;
  std::uint64_t due_ns_ = 0;  // never goes back; 0: no time is known yet
  std::uint64_t made_ = 0;
  std::array<std::uint64_t, kReplaySkipReasons> skipped_{};
};

}  // namespace fathom::workload
