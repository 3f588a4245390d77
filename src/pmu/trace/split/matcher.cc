// Events lie sorted by disk and sector; an I/O's candidates are one stretch of them, then put in order of time.
#include "pmu/trace/split/matcher.h"

#include <algorithm>
#include <tuple>

namespace fathom::pmu::trace::split {
namespace {

constexpr std::uint32_t kKeptTurns = 8;
// I/Os of more than some seconds are rare: for those few unused events are kept, for at most a minute.
constexpr std::uint64_t kYoung_ns = 2'000'000'000, kLongest_ns = 60'000'000'000;
constexpr std::size_t kMostOld = 1 << 15;

auto place(const BlockEvent& e) { return std::tuple(e.dev, e.sector); }

std::uint64_t overlap(const BlockEvent& e, const Piece& p) {
  const std::uint64_t begin = std::max(e.sector, p.sector), end = std::min(e.sector + e.sectors, p.sector + p.sectors);
  return end > begin ? end - begin : 0;
}

std::uint64_t difference(std::uint64_t from, std::uint64_t to) { return to > from ? to - from : 0; }

}  // namespace

void EventTable::forget(std::uint64_t before_ns) {
  std::erase_if(events_, [&](const Held& h) {
    if (h.event.time_ns >= before_ns) return false;
    if (h.used_turn == 0) forgotten_ns_ = std::max(forgotten_ns_, h.event.time_ns);
    return true;
  });
}

// Of the events before that time; 0: of none.
std::uint64_t EventTable::median_ns(std::uint64_t before_ns) const {
  std::vector<std::uint64_t> times;
  for (const auto& h : events_)
    if (h.event.time_ns < before_ns) times.push_back(h.event.time_ns);
  if (times.empty()) return 0;
  const auto half = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), half, times.end());
  return *half;
}

std::uint64_t EventTable::turn(std::uint64_t now_ns) {
  ++turn_;
  std::erase_if(events_, [&](const Held& h) { return h.used_turn != 0 && h.used_turn + kKeptTurns < turn_; });
  const auto before = [](const Held& a, const Held& b) { return place(a.event) < place(b.event); };
  std::sort(fresh_.begin(), fresh_.end(), before);
  const auto middle = static_cast<std::ptrdiff_t>(events_.size());
  events_.insert(events_.end(), fresh_.begin(), fresh_.end());
  fresh_.clear();
  std::inplace_merge(events_.begin(), events_.begin() + middle, events_.end(), before);
  const std::uint64_t young_ns = difference(kYoung_ns, now_ns);
  forget(difference(kLongest_ns, now_ns));
  const auto old =
      std::count_if(events_.begin(), events_.end(), [&](const Held& h) { return h.event.time_ns < young_ns; });
  if (static_cast<std::size_t>(old) > kMostOld) forget(median_ns(young_ns));
  std::uint64_t dropped = 0;
  if (events_.size() > most_) {
    forget(young_ns);
    const std::size_t before_drop = events_.size();
    if (before_drop > most_) forget(median_ns(~0ull));
    dropped = before_drop - events_.size();
  }
  longest_ = 0;
  for (const auto& h : events_) longest_ = std::max(longest_, h.event.sectors);
  return dropped;
}

// Everything of the I/O's direction that lies where it lies and when it was under way.
void EventTable::collect(const TimedIo& io, std::span<const Piece> pieces, std::uint64_t slack_ns) {
  seen_.clear();
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& piece = pieces[i];
    const std::tuple from(piece.dev, piece.sector - std::min<std::uint64_t>(piece.sector, longest_));
    auto at = std::lower_bound(events_.begin(), events_.end(), from,
                               [](const Held& h, const auto& key) { return place(h.event) < key; });
    for (; at != events_.end() && at->event.dev == piece.dev && at->event.sector < piece.sector + piece.sectors; ++at) {
      const auto& e = at->event;
      if (e.dir != io.dir || e.time_ns + slack_ns < io.start_ns || e.time_ns > io.reap_ns + slack_ns) continue;
      if (const auto common = overlap(e, piece); common > 0) seen_.push_back({&*at, common, i});
    }
  }
  std::stable_sort(seen_.begin(), seen_.end(),
                   [](const Seen& a, const Seen& b) { return a.held->event.time_ns < b.held->event.time_ns; });
}

// Nothing was queued by the I/O's own process: what else was seen at its sectors in its time says why.
result::Undivided EventTable::not_queued(const TimedIo& io, std::span<const Piece> pieces) {
  using enum result::Undivided;
  if (pieces.empty()) return no_request;
  if (io.start_ns <= forgotten_ns_) return lost;
  // What is written to the page cache waits for no request, whatever is written back there meanwhile.
  constexpr std::uint8_t kRead = 0;
  if (!io.direct && io.dir != kRead) return no_request;
  bool completed = false, queued = false;
  for (const auto& s : seen_) {
    const auto& e = s.held->event;
    // Outside of a container's numbers (0) are the kernel's tasks and everybody else's.
    if (e.point == BlockPoint::bio_queue && by_kernel_task(e) && (io.direct || e.process != 0)) return handed_on;
    queued |= e.point == BlockPoint::bio_queue;
    completed |= e.point == BlockPoint::bio_complete || e.point == BlockPoint::rq_complete;
  }
  if (io.direct) return queued ? contested : completed ? lost : unknown;
  return completed && !queued ? read_ahead : no_request;
}

SplitIo EventTable::match(const TimedIo& io, std::span<const Piece> pieces, std::uint64_t slack_ns) {
  SplitIo split;
  collect(io, pieces, slack_ns);
  std::uint64_t wanted = 0, queued = 0, others = 0, handed_on = 0;
  for (const auto& piece : pieces) wanted += piece.sectors;
  const BlockEvent *queue = nullptr, *issue = nullptr, *complete = nullptr;
  for (const auto& s : seen_) {
    if (s.held->event.point != BlockPoint::bio_queue) continue;
    const bool own = s.held->event.process == io.process;
    (own ? queued : others) += s.overlap;
    if (!own && by_kernel_task(s.held->event)) handed_on += s.overlap;
    if (own && queue == nullptr) queue = &s.held->event;
  }
  if (queue == nullptr) {
    split.why = not_queued(io, pieces);
    return split;
  }

  // The first issue after it was queued; completions after that, until all that was queued has come back.
  const std::uint64_t needed = std::min(queued, wanted);
  bool bios = true;
  std::uint64_t issued = 0, completed = 0, beyond = 0;
  for (const auto& s : seen_) {
    const auto& e = s.held->event;
    const bool by_bios = pieces[s.piece].bios;
    if (e.time_ns < queue->time_ns) continue;
    if (e.point == BlockPoint::rq_issue && !by_bios) {
      issued += s.overlap;
      if (issue == nullptr) issue = &e;
    }
    if (e.point != (by_bios ? BlockPoint::bio_complete : BlockPoint::rq_complete)) continue;
    if (!by_bios && issue == nullptr) continue;
    bios = by_bios;
    (completed < needed ? completed : beyond) += s.overlap;
    if (beyond == 0) complete = &e;
  }
  // A bio that found no free request (io_uring asks not to wait) is queued again: twice queued, issued once.
  const bool twice = queued > wanted && (bios || issued > wanted);
  if (twice || others > 0 || beyond > 0) {
    // Of several bios some went at once and the rest was held: together they are the I/O and nobody else's.
    const bool held = handed_on > 0 && others == handed_on && queued + handed_on == wanted;
    split.why = held ? result::Undivided::handed_on : result::Undivided::contested;
  } else if (completed >= needed && (bios || issue != nullptr)) {
    split.matched = true;
    split.queue_covered = !bios;
    const std::uint64_t q = queue->time_ns, c = complete->time_ns;
    const std::uint64_t times[] = {io.start_ns, q, bios ? q : issue->time_ns, c, io.reap_ns};
    for (std::size_t p = 0; p < result::kEventParts; ++p) split.part_ns[p] = difference(times[p], times[p + 1]);
    split.outside_ns = difference(q, io.start_ns) + difference(io.reap_ns, c);
  } else {
    split.why = result::Undivided::lost;
  }
  for (const auto& s : seen_) s.held->used_turn = turn_;
  return split;
}

}  // namespace fathom::pmu::trace::split
