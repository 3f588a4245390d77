// Matches completions of a block trace to what was queued.
#include "trace/readers/blk_events.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::trace::readers {
namespace {

// Takes the sectors of `cut` out of `ranges`.
template <class Ranges, class Range>
void take_out(Ranges& ranges, const Range& cut) {
  for (std::size_t i = 0; i < ranges.size();) {
    const auto range = ranges[i];
    const auto begin = std::max(range.begin, cut.begin), end = std::min(range.end, cut.end);
    if (begin >= end) {
      ++i;
      continue;
    }
    ranges.erase(ranges.begin() + static_cast<std::ptrdiff_t>(i));
    if (end < range.end) ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(i), {end, range.end});
    if (range.begin < begin) ranges.insert(ranges.begin() + static_cast<std::ptrdiff_t>(i++), {range.begin, begin});
    if (end < range.end) ++i;
  }
}

}  // namespace

// A discard has the write flag too; a flush of the kernel has the read flag.
BlkEvents::Kind BlkEvents::kind_of(const BlkRecord& record) {
  if ((record.flags & kBlkDiscard) != 0) return Kind::trim;
  if (record.bytes == 0 && (record.flags & kBlkFlush) != 0) return Kind::flush;
  return (record.flags & kBlkWrite) != 0 ? Kind::write : Kind::read;
}

std::uint64_t BlkEvents::key_of(std::uint32_t device, Kind kind) {
  return std::uint64_t{device} << 2 | static_cast<std::uint64_t>(kind);
}

void BlkEvents::take(const BlkRecord& record, std::uint64_t place) {
  if ((record.flags & kBlkNotify) != 0) return;
  if (begun_ns_ == kNotKnown) begun_ns_ = record.time_ns;
  now_ns_ = record.time_ns;
  if (record.act == kBlkQueue) return queue(record, place);
  if ((record.flags & kBlkPassthrough) != 0) return;  // its sectors are none
  const auto kind = kind_of(record);
  if (record.act == kBlkIssue && kind == Kind::flush) lanes_[key_of(record.device, kind)].issued_ns = record.time_ns;
  if (record.act == kBlkComplete) complete(record);
}

void BlkEvents::queue(const BlkRecord& record, std::uint64_t place) {
  const auto kind = kind_of(record);
  if (record.bytes == 0 && kind != Kind::flush) return ledger_.skip(kZeroLength, place);
  constexpr std::uint64_t kLastSector = (~std::uint64_t{0} >> 9) - (std::uint64_t{1} << 23);
  if (record.sector > kLastSector && kind != Kind::flush) return ledger_.skip("beyond 2^64 bytes", place);
  const auto file = ledger_.file(fmt::format("{},{}", record.device >> 20, record.device & 0xfffff));
  if (!file) return ledger_.skip(kTooManyFiles, place);
  const auto key = key_of(record.device, kind);
  Pending p{.event = {.time_ns = record.time_ns >= begun_ns_ ? record.time_ns - begun_ns_ : 0,
                      .offset_bytes = record.sector * kSector_bytes,
                      .length_bytes = record.bytes,
                      .file = *file,
                      .task = record.task},
            .key = key,
            .begin = record.sector};
  if (kind == Kind::flush) p.event.action = Action::sync, p.event.offset_bytes = 0;
  if (kind == Kind::trim) p.event.action = Action::trim;
  if (kind == Kind::write) {
    p.event.action = Action::write;
    p.event.flush_first = (record.flags & kBlkFlush) != 0;
    p.event.forced_unit_access = (record.flags & kBlkFua) != 0;
  }
  ledger_.time(p.event.time_ns);
  if (waits_) {
    const auto sectors = (record.bytes + kSector_bytes - 1) / kSector_bytes;
    if (kind != Kind::flush) p.open.push_back({record.sector, record.sector + sectors});
    auto& lane = lanes_[key];
    lane.longest = std::max(lane.longest, sectors);
    lane.starts.emplace(record.sector, first_ + pending_.size());
  }
  pending_.push_back(std::move(p));
}

void BlkEvents::complete(const BlkRecord& record) {
  saw_completions_ = true;
  const auto kind = kind_of(record);
  if (record.bytes == 0 && kind == Kind::write) return complete_flush_bio(record.device, record.time_ns);
  const auto found = lanes_.find(key_of(record.device, kind));
  if (found == lanes_.end()) return;
  auto& lane = found->second;
  if (kind == Kind::flush) return complete_flush_request(lane, record.time_ns);
  std::vector<Range> left = {{record.sector, record.sector + (record.bytes + kSector_bytes - 1) / kSector_bytes}};
  const auto from = record.sector > lane.longest ? record.sector - lane.longest : 0;
  hits_.clear();
  for (auto at = lane.starts.lower_bound(from); at != lane.starts.end() && at->first < left[0].end; ++at)
    hits_.push_back(at->second);
  std::sort(hits_.begin(), hits_.end());
  for (const auto serial : hits_) {
    auto& p = pending(serial);
    const auto before = left;
    for (const auto& range : before) {
      // Only what this Q still waits for is taken: the rest belongs to a younger one.
      for (const auto& mine : std::vector<Range>(p.open)) {
        const Range both{std::max(mine.begin, range.begin), std::min(mine.end, range.end)};
        if (both.begin < both.end) take_out(p.open, both), take_out(left, both);
      }
    }
    if (p.open.empty()) finish(serial, record.time_ns);
    if (left.empty()) break;
  }
}

// One flush request of the device serves all that were queued before it was issued. Linux 6.1 then completes each bio
// too, as a write of no bytes; where that record is missing, the request's time is taken.
void BlkEvents::complete_flush_request(Lane& lane, std::uint64_t time_ns) {
  const auto issued_ns = std::exchange(lane.issued_ns, kNotKnown);
  for (const auto& [sector, serial] : lane.starts) {
    auto& p = pending(serial);
    if (p.flushed_ns != kNotKnown) continue;
    if (issued_ns != kNotKnown && p.event.time_ns + begun_ns_ > issued_ns) continue;
    p.flushed_ns = time_ns;
    if (issued_ns == kNotKnown) break;
  }
}

void BlkEvents::complete_flush_bio(std::uint32_t device, std::uint64_t time_ns) {
  const auto found = lanes_.find(key_of(device, Kind::flush));
  if (found == lanes_.end()) return;
  for (const auto& [sector, serial] : found->second.starts)
    if (pending(serial).flushed_ns != kNotKnown) return finish(serial, time_ns);
}

void BlkEvents::finish(std::uint64_t serial, std::uint64_t time_ns) {
  auto& p = pending(serial);
  const auto queued_ns = p.event.time_ns + begun_ns_;
  p.event.response_ns = time_ns > queued_ns ? time_ns - queued_ns : 0;
  p.done = true;
  forget(p, serial);
}

void BlkEvents::forget(const Pending& p, std::uint64_t serial) {
  auto& starts = lanes_[p.key].starts;
  const auto [from, to] = starts.equal_range(p.begin);
  for (auto at = from; at != to; ++at)
    if (at->second == serial) return void(starts.erase(at));
}

bool BlkEvents::pop(Event& event, bool all) {
  if (pending_.empty()) return false;
  auto& front = pending_.front();
  const bool is_flushed = front.flushed_ns != kNotKnown && !front.done;
  if (is_flushed && (all || now_ns_ > front.flushed_ns + kFlushBio_ns)) finish(first_, front.flushed_ns);
  const auto queued_ns = front.event.time_ns + begun_ns_;
  const bool is_late = now_ns_ > queued_ns && now_ns_ - queued_ns > kLongest_ns;
  if (!front.done && waits_ && !all && !is_late && pending_.size() <= kMostPending) return false;
  if (!front.done) {
    ++without_response_;
    if (waits_) forget(front, first_);
  }
  event = front.event;
  pending_.pop_front();
  ++first_;
  return true;
}

}  // namespace fathom::trace::readers
