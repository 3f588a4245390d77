// Memory that the kernel writes behind the compiler's back: what it shows is read, and what it looks at is written,
// through atomic_ref.
#include "split/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;

// include/linux/sched.h and blk_types.h; the same from Linux 6.1 to 6.18.
constexpr unsigned kIoWorker = 0x10, kKernelThread = 0x200000, kPreflush = 1u << 18;

template <class T>
T look(T& from) {
  return std::atomic_ref(from).load(std::memory_order_relaxed);
}
template <class T>
void put(T& to, T value) {
  std::atomic_ref(to).store(value, std::memory_order_relaxed);
}

// What was seen of one I/O, copied out of the shared line.
struct Moments {
  std::uint64_t queue, issue, done, flush;
  std::uint32_t queued_sectors, open_sectors;
  unsigned task_flags, bio_flags;
  bool contested;
};

Moments seen(Line& line) {
  const unsigned long long balance = look(line.seen.balance);
  return {look(line.seen.queue_ns),
          look(line.seen.issue_ns),
          look(line.seen.done_ns),
          look(line.seen.flush_ns),
          static_cast<std::uint32_t>(balance >> 32),
          static_cast<std::uint32_t>(balance),
          look(line.seen.task_flags),
          look(line.seen.bio_flags),
          look(line.seen.contested) != 0};
}

// Walks from moment to moment, and adds what lies between two to its part, of all I/Os and of those that took as long.
class Walk {
 public:
  Walk(DirectionSplit& to, std::uint64_t from, std::uint64_t whole_ns)
      : to_(to), cell_(to.bands.cells[cell_of(whole_ns)]), at_(from) {
    ++cell_.ios;
    cell_.whole_ns += whole_ns;
  }
  void until(std::uint64_t ns, Part part) {
    const auto step = static_cast<std::int64_t>(ns - at_);
    if (step < 0) {
      outside_ += static_cast<std::uint64_t>(-step);
      to_.parts[static_cast<std::size_t>(part)].add(0);
      return;
    }
    to_.parts[static_cast<std::size_t>(part)].add(static_cast<std::uint64_t>(step));
    cell_.part_ns[static_cast<std::size_t>(part)] += static_cast<std::uint64_t>(step);
    at_ = ns;
  }
  void end() {
    if (outside_ == 0) return;
    ++to_.outside;
    to_.outside_ns += outside_;
    to_.outside_max_ns = std::max(to_.outside_max_ns, outside_);
  }

 private:
  DirectionSplit& to_;
  BandCell& cell_;
  std::uint64_t at_, outside_ = 0;
};

void divide(const Moments& m, std::uint64_t start_ns, std::uint64_t reap_ns, DirectionSplit& to) {
  Walk walk(to, start_ns, reap_ns - start_ns);
  const bool by_kernel = (m.task_flags & kKernelThread) != 0;
  walk.until(m.queue, by_kernel ? Part::held : (m.task_flags & kIoWorker) != 0 ? Part::handed : Part::submit);
  if (m.issue != 0) walk.until(m.issue, (m.bio_flags & kPreflush) != 0 ? Part::flush : Part::queue);
  walk.until(m.done, Part::device);
  if (m.flush != 0) walk.until(m.flush, Part::flush);
  to.flushes += m.flush != 0;
  walk.until(reap_ns, Part::completion);
  walk.end();
}

// Why an I/O has no parts, of one that has none.
Undivided judge(const Moments& m, const Published& p, bool direct, bool by_task) {
  if (m.contested) return Undivided::contested;
  if (m.queued_sectors == 0) {
    if (!direct) return Undivided::no_request;
    return p.pieces == 0 && !by_task ? Undivided::unplaced : Undivided::unknown;
  }
  if (direct && p.pieces != 0 && m.queued_sectors > p.sectors) return Undivided::contested;
  return m.open_sectors > m.queued_sectors ? Undivided::contested : Undivided::lost;
}

bool meet(const Published& a, const Published& b) {
  if (a.dev != b.dev) return false;
  for (unsigned i = 0; i < a.pieces; ++i)
    for (unsigned j = 0; j < std::min<unsigned>(b.pieces, kPieces); ++j)
      if (a.piece[i].sector < b.piece[j].sector + b.piece[j].sectors &&
          b.piece[j].sector < a.piece[i].sector + a.piece[i].sectors)
        return true;
  return false;
}

}  // namespace

void Recorder::follow_this_task() {
  const auto task = static_cast<unsigned>(::gettid());
  const std::size_t mask = region_.tasks.size() - 1;
  for (std::size_t w = 0; w < kWays; ++w) {
    Task& at = region_.tasks[(task + w) & mask];
    unsigned expected = 0;
    if (!std::atomic_ref(at.task).compare_exchange_strong(expected, task) && expected != task) continue;
    put(at.slot, share_.first_slot);
    by_task_ = true;
    return;
  }
}

// Another I/O of the run is in the same granule: whose bio is whose cannot be told where they meet.
void Recorder::look_at_other(std::uint32_t other, std::uint32_t slot) {
  if (other >= region_.lines.size() || other == share_.first_slot + slot) return;
  Line& line = line_of(slot);
  if (look(region_.lines[other].published.generation) == 0 || !meet(line.published, region_.lines[other].published))
    return;
  put(line.seen.contested, 1u);
  put(region_.lines[other].seen.contested, 1u);
}

// Where no way is free an I/O of somebody else is not found any more: it is lost. Entered first and looked around then,
// with a full fence in between (the exchange), so that of two at the same place one sees the other.
void Recorder::enter(std::uint64_t hash, std::uint32_t slot, Entered& entered) {
  Bucket& bucket = region_.places[hash >> region_.place_shift];
  const unsigned long long tag = place_tag(hash), place = tag << 32 | (share_.first_slot + slot);
  for (auto& way : bucket.way)
    if (look(way) == place) return;  // another piece of this I/O is in the same granule
  unsigned long long* at = &bucket.way[share_.way % kWays];
  for (std::uint32_t w = 0; w < kWays; ++w) {
    unsigned long long empty = 0;
    auto* const way = &bucket.way[(share_.way + w) % kWays];
    if (look(*way) != 0 || !std::atomic_ref(*way).compare_exchange_strong(empty, place)) continue;
    at = way;
    break;
  }
  if (look(*at) != place) std::atomic_ref(*at).exchange(place);
  entered.at[entered.n] = at;
  entered.place[entered.n] = place;
  ++entered.n;
  for (auto& way : bucket.way)
    if (const auto there = look(way); there >> 32 == tag && there != place)
      look_at_other(static_cast<std::uint32_t>(there), slot);
}

// Of what was entered for the slot only what nobody else has taken since.
void Recorder::withdraw(std::uint32_t slot) {
  put(line_of(slot).published.generation, 0u);
  Entered& entered = entered_[slot];
  for (unsigned i = 0; i < entered.n; ++i) std::atomic_ref(*entered.at[i]).compare_exchange_strong(entered.place[i], 0);
  entered.n = 0;
}

void Recorder::publish(std::uint32_t slot, const io::Request& request) {
  withdraw(slot);  // of an I/O that failed
  Line& line = line_of(slot);
  const std::uint32_t slice = share_.control->slice.load(std::memory_order_relaxed);
  entered_[slot].slice = slice;
  if (slice == 0 || request.dir == io::Dir::sync) return;
  const PlaceMap& map = share_.maps[request.target];
  line.published.dev = map.dev();
  line.published.pieces = map.pieces(request.offset, request.length, line.published.piece);
  line.published.sectors = (request.length + 511) >> 9;
  line.seen = {};
  if (++generation_ == 0) ++generation_;
  std::atomic_ref(line.published.generation).store(generation_, std::memory_order_release);
  for (unsigned i = 0; i < line.published.pieces; ++i) {
    const Piece& piece = line.published.piece[i];
    enter(place_hash(map.dev(), piece.sector), slot, entered_[slot]);
    if (!by_granule(request.length, share_.direct) && piece.reserved == 0) continue;
    const std::uint64_t first = piece.sector >> region_.granule_shift,
                        last = (piece.sector + piece.sectors - 1) >> region_.granule_shift;
    enter(granule_hash(map.dev(), first), slot, entered_[slot]);
    if (last != first) enter(granule_hash(map.dev(), last), slot, entered_[slot]);
  }
}

void Recorder::take(std::uint32_t slot, io::Dir dir, std::uint64_t start, std::uint64_t reap, bool counts) {
  Line& line = line_of(slot);
  if (line_.hold(reap)) share_.record->clock_error_ns = line_.error_ns();
  if (dir == io::Dir::sync) return;
  DirectionSplit& to = share_.record->dirs[io::index(dir)];
  if (entered_[slot].slice == 0) {
    if (counts) to.others.add(line_.at(reap) - line_.at(start));
    return;
  }
  const Moments m = seen(line);
  withdraw(slot);
  if (!counts) return;
  const std::uint64_t start_ns = line_.at(start), reap_ns = line_.at(reap);
  ++to.ios;
  const bool whole = line.published.pieces == 0 || !share_.direct || m.queued_sectors == line.published.sectors;
  if (m.queued_sectors != 0 && m.open_sectors == 0 && whole && !m.contested) [[likely]] {
    ++to.joined;
    divide(m, start_ns, reap_ns, to);
    to.whole.add(reap_ns - start_ns);
    return;
  }
  const bool given_up = entered_[slot].slice <= share_.control->given_up.load(std::memory_order_relaxed);
  const Undivided why = given_up ? Undivided::cut : judge(m, line.published, share_.direct, by_task_);
  auto& rest = to.undivided[static_cast<std::size_t>(why)];
  ++rest.ios;
  rest.time_ns += reap_ns - start_ns;
  (why == Undivided::no_request || why == Undivided::unknown ? to.uncovered : to.rest).add(reap_ns - start_ns);
}

}  // namespace fathom::split
