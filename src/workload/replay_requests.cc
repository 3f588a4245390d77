// Makes the requests of each record of a trace, and counts what cannot be requested.
#include "workload/replay_requests.h"

#include <algorithm>
#include <utility>

namespace fathom::workload {

std::string_view text_of(ReplaySkipReason reason) {
  constexpr std::string_view kTexts[kReplaySkipReasons] = {
      "reads, by replay_skip",
      "writes, by replay_skip",
      "trims, by replay_skip",
      "syncs, by replay_skip",
      "zero length",
      "longer than the buffer (bs= sets its size for a stream)",
      "beyond the end of the target",
      "not aligned to the blocks of the target (replay_align= aligns them)",
      "trims, which the engine or the target does not support",
      "writes to a job that may not write",
      "on a file that the start of the trace does not name",
  };
  return kTexts[static_cast<std::size_t>(reason)];
}

ReplayRequests::ReplayRequests(const job::fields::Replay& options, bool has_times, std::vector<ReplayTarget> targets,
                               ReplayLimits limits)
    : options_(options),
      times_(has_times),
      redirected_(!options.redirect.empty()),
      targets_(std::move(targets)),
      limits_(limits) {}

// The pauses before skipped records are kept, and so is the first one. A time that goes back adds no delay.
void ReplayRequests::advance(std::uint64_t time_ns) {
  if (options_.no_stall) return;
  if (!times_ && time_ns == 0) return;
  due_ns_ = std::max({due_ns_, paused_ns(time_ns), std::uint64_t{1}});
}

std::uint64_t ReplayRequests::paused_ns(std::uint64_t recorded_ns) const {
  if (options_.no_stall) return 0;
  const auto scaled = static_cast<unsigned __int128>(recorded_ns) * 100 / options_.time_scale;
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(scaled, io::kHeld_ns - 1));
}

bool ReplayRequests::skips_kind(io::Dir dir) {
  if (!options_.skips(dir)) return false;
  skip(static_cast<ReplaySkipReason>(io::index(dir)));
  return true;
}

// Sets offset and length. Offsets are aligned down and lengths up, as fio does.
bool ReplayRequests::fits(const trace::Event& event, io::Request& request) {
  if (event.length_bytes == 0) return skip(ReplaySkipReason::zero_length);
  std::uint64_t offset = event.offset_bytes / options_.scale, length = event.length_bytes;
  if (const std::uint64_t align = options_.align_bytes; align != 0) {
    offset &= ~(align - 1);
    if (length > ~std::uint64_t{0} - align) return skip(ReplaySkipReason::too_long);
    length = (length + align - 1) & ~(align - 1);
  }
  if (length > limits_.largest_bytes) return skip(ReplaySkipReason::too_long);
  auto& target = targets_[request.target];
  const bool writes = request.dir == io::Dir::write && target.grows;
  if (offset > ~std::uint64_t{0} - length || (!writes && offset + length > target.size_bytes))
    return skip(ReplaySkipReason::beyond_end);
  if ((offset | length) % target.unit_bytes != 0) return skip(ReplaySkipReason::unaligned);
  if (writes) target.size_bytes = std::max(target.size_bytes, offset + length);
  request.offset = offset;
  request.length = static_cast<std::uint32_t>(length);
  return true;
}

std::size_t ReplayRequests::make(const trace::Event& event, std::span<io::Request> out) {
  using trace::Action;
  advance(event.time_ns);
  if (!trace::is_io(event.action)) return 0;
  const io::Dir dir = event.action == Action::read    ? io::Dir::read
                      : event.action == Action::write ? io::Dir::write
                      : event.action == Action::trim  ? io::Dir::trim
                                                      : io::Dir::sync;
  const bool syncs = !options_.skips(io::Dir::sync);
  const std::size_t file = redirected_ ? 0 : event.file;
  if (file >= targets_.size()) return skip(ReplaySkipReason::unknown_file);
  io::Request request{0, due_ns_, 0, static_cast<std::uint16_t>(file), dir, 0};
  io::Request sync = request;
  sync.dir = io::Dir::sync;
  if (skips_kind(dir)) return 0;
  if ((dir == io::Dir::write || dir == io::Dir::trim) && !limits_.writes) return skip(ReplaySkipReason::not_writable);
  if (dir == io::Dir::trim && !limits_.trims) return skip(ReplaySkipReason::no_trim);
  if (dir != io::Dir::sync && !fits(event, request)) return 0;
  std::size_t n = 0;
  if (event.flush_first && syncs) out[n++] = sync;
  if (event.action == Action::datasync) request.flags = io::kDataSync;
  const bool durable = event.forced_unit_access && dir == io::Dir::write;
  if (durable && limits_.dsync_writes) request.flags = io::kDataSync;
  out[n++] = request;
  if (durable && !limits_.dsync_writes && syncs) {
    sync.flags = io::kDataSync;
    out[n++] = sync;
  }
  made_ += n;
  return n;
}

}  // namespace fathom::workload
