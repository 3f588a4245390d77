// The kernel changes the shared memory without the compiler's knowledge. The recorder therefore reads and writes it
// through atomic_ref. Functions with one caller on the path of every I/O are forced inline: their prologues were an
// eighth of its instructions.
#include "split/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace fathom::split {
namespace {

using result::Part;
using result::Undivided;

template <class T>
T look(T& from) {
  return std::atomic_ref(from).load(std::memory_order_relaxed);
}
// A load in the sequentially consistent order of all exchanges in the table of places.
template <class T>
T look_in_order(T& from) {
  return std::atomic_ref(from).load(std::memory_order_seq_cst);
}
template <class T>
void put(T& to, T value) {
  std::atomic_ref(to).store(value, std::memory_order_relaxed);
}

// Walks from moment to moment. It adds the time between two moments to its part, for all I/Os and for those of similar
// latency.
class Walk {
 public:
  Walk(DirectionSplit& to, std::uint64_t from, std::uint64_t whole_ns)
      : to_(to), cell_(to.bands.cells[cell_of(whole_ns)]), at_(from) {
    ++cell_.ios;
    cell_.whole_ns += whole_ns;
  }
  std::uint64_t at() const { return at_; }
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

[[gnu::always_inline]] inline void walk_commit(const Moments& m, Walk& walk) {
  if (m.commit_end == 0) return;
  if (m.others_commit > walk.at()) walk.until(m.others_commit, Part::others_commit);
  walk.until(m.commit_end, Part::commit);
}

// The completion path, without the CPU wait in it. The CPU wait is the increase of the task's wait since the data
// arrived.
[[gnu::always_inline]] inline void walk_back(const Moments& m, std::uint64_t waited_ns, Walk& walk) {
  const std::uint64_t cpu = m.reap > walk.at() ? std::min(waited_ns, m.reap - walk.at()) : 0;
  walk.until(m.reap - cpu, Part::completion);
  if (cpu > 0) walk.until(m.reap, Part::cpu);
}

void divide(const Moments& m, std::uint64_t waited_ns, DirectionSplit& to) {
  Walk walk(to, m.start, m.reap - m.start);
  if (m.queued_sectors == 0) {
    if (m.ahead != 0) walk.until(m.ahead, Part::ahead);
    if ((m.flags & kThrottledDirty) != 0) {
      walk.until(m.request, Part::submit);
      walk.until(m.reap, Part::dirty);
      return walk.end();
    }
    walk_back(m, 0, walk);
    return walk.end();
  }
  if (m.rung > m.start && m.rung <= m.queue) walk.until(m.rung, Part::program);
  walk.until(m.queue, (m.flags & kByKernel) != 0   ? Part::held
                      : (m.flags & kByWorker) != 0 ? Part::handed
                                                   : Part::submit);
  if (m.request != 0) walk.until(m.request, Part::tags);
  if (m.issue != 0) walk.until(m.issue, (m.flags & kFlushFirst) != 0 ? Part::flush : Part::queue);
  walk.until(m.done, Part::device);
  walk_commit(m, walk);
  if (m.flush != 0) walk.until(m.flush, Part::flush);
  to.flushes += m.flush != 0;
  to.fua += (m.flags & kThroughCache) != 0;
  if (m.ahead > walk.at()) walk.until(m.ahead, Part::ahead);
  walk_back(m, waited_ns, walk);
  walk.end();
}

// An fsync or a similar call. If the sync has no data itself, the time until its commit begins belongs to the data of
// others.
void divide_sync(const Moments& m, std::uint64_t waited_ns, DirectionSplit& to) {
  Walk walk(to, m.start, m.reap - m.start);
  // A flush before the sync's data is not a wait at its end: the journal's head is written with the flush.
  const bool data = m.done != 0 || m.request != 0, flush = m.flush > std::max(m.done, m.request);
  if (!data && m.commit_end == 0 && !flush) {
    walk.until(m.reap, Part::file_system);
    return walk.end();
  }
  if (data) walk.until(std::max(m.done, m.request), Part::data);
  if (!data && m.commit_end != 0 && m.others_commit == 0 && m.commit_begin > walk.at())
    walk.until(m.commit_begin, Part::data);
  walk_commit(m, walk);
  if (flush) walk.until(m.flush, Part::flush);
  to.flushes += flush;
  walk_back(m, m.commit_end > m.done && !flush ? 0 : waited_ns, walk);
  walk.end();
}

void divide_one(const Moments& m, std::uint64_t waited_ns, DirectionSplit& to, bool sync) {
  ++to.ios;
  ++to.joined;
  to.whole.add(m.reap - m.start);
  if (sync)
    divide_sync(m, waited_ns, to);
  else
    divide(m, waited_ns, to);
}

// The reason why an I/O has no breakdown.
Undivided judge(const Moments& m, const Published& p, bool direct, bool by_task, bool empty) {
  if ((m.contested & kSameSectors) != 0) return Undivided::contested;
  if ((m.contested & kNoRoom) != 0) return Undivided::no_room;
  if (m.queued_sectors == 0) {
    if (!direct || empty) return Undivided::no_request;
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

void Recorder::follow_this_task(bool one_at_a_time) {
  if (region_.waits) own_wait_.open();
  const auto task = static_cast<unsigned>(::gettid());
  const std::size_t mask = region_.tasks.size() - 1;
  for (std::size_t w = 0; w < kWays; ++w) {
    Task& at = region_.tasks[(task + w) & mask];
    unsigned expected = 0;
    if (!std::atomic_ref(at.task).compare_exchange_strong(expected, task) && expected != task) continue;
    put(at.first, share_.first_slot);
    put(at.slots, one_at_a_time ? 0u : share_.slots);
    put(at.slot, one_at_a_time ? share_.first_slot : FATHOM_SPLIT_NO_SLOT);
    by_task_ = one_at_a_time || (region_.submissions && share_.followed);
    return;
  }
}

// Handles another I/O of the run in the same granule. If they share sectors, a bio there cannot be assigned to one of
// them.
void Recorder::look_at_other(std::uint32_t other, std::uint32_t slot) {
  if (other >= region_.lines.size() || other == share_.first_slot + slot) return;
  Line& line = line_of(slot);
  if (look(region_.lines[other].published.generation) == 0 || !meet(line.published, region_.lines[other].published))
    return;
  put(line.seen.contested, unsigned{kSameSectors});
  put(region_.lines[other].seen.contested, unsigned{kSameSectors});
}

// Examines all other entries in the bucket with this tag.
void Recorder::look_around(Bucket& bucket, unsigned long long place, std::uint32_t slot) {
  for (auto& way : bucket.way)
    if (const auto there = look_in_order(way); there >> 32 == place >> 32 && there != place)
      look_at_other(static_cast<std::uint32_t>(there), slot);
}

// If no way is free, the entry replaces that of another I/O. The programs then no longer find the other I/O, and it
// counts as lost.
void Recorder::enter(std::uint64_t hash, std::uint32_t slot, Entered& entered) {
  Bucket& bucket = region_.places[hash >> region_.place_shift];
  const unsigned long long tag = place_tag(hash), place = tag << 32 | (share_.first_slot + slot);
  if (entered.n > 0)
    for (auto& way : bucket.way)
      if (look(way) == place) return;  // another piece of this I/O is in the same granule
  unsigned long long* at = &bucket.way[share_.way % kWays];
  for (std::uint32_t w = 0; w < kWays; ++w) {
    unsigned long long empty = 0;
    auto* const way = &bucket.way[(share_.way + w) % kWays];
    if (look(*way) != 0) continue;
    if (!share_.alone && !std::atomic_ref(*way).compare_exchange_strong(empty, place)) continue;
    at = way;
    break;
  }
  if (share_.alone)
    put(*at, place);
  else if (look(*at) != place)
    std::atomic_ref(*at).exchange(place);
  entered.at[entered.n] = at;
  entered.place[entered.n] = place;
  ++entered.n;
  if (share_.alone) look_around(bucket, place, slot);
}

// Several workers: each enters its place, then sets its line's generation, then looks around. A program may select the
// line once the generation is set. These steps are sequentially consistent, so one of two workers at the same place
// sees the other.
// On a busy CPU, the other worker may wait between these steps for longer than this I/O takes. A program may already
// select its line then. This worker therefore looks again after the completion. By then the other is still entered, or
// has marked the overlap.
// Conversely, moments recorded for an I/O that is not submitted yet belong to another I/O. That one has ended and may
// have left the table.
[[gnu::noinline]] void Recorder::look_again(std::uint32_t slot) {
  const Entered& entered = entered_[slot];
  for (unsigned i = 0; i < entered.n; ++i) {
    const auto way = static_cast<std::size_t>(entered.at[i] - region_.places.front().way);
    look_around(region_.places[way / kWays], entered.place[i], slot);
  }
}
[[gnu::noinline]] void Recorder::appear_among_others(std::uint32_t slot) {
  Line& line = line_of(slot);
  std::atomic_ref(line.published.generation).exchange(generation_);
  look_again(slot);
  if (look(line.seen.balance) != 0) put(line.seen.contested, unsigned{kSameSectors});
}

// Removes the slot's entries that no other worker has replaced.
void Recorder::withdraw(std::uint32_t slot) {
  put(line_of(slot).published.generation, 0u);
  Entered& entered = entered_[slot];
  for (unsigned i = 0; i < entered.n; ++i)
    if (!share_.alone)
      std::atomic_ref(*entered.at[i]).compare_exchange_strong(entered.place[i], 0);
    else if (look(*entered.at[i]) == entered.place[i])
      put(*entered.at[i], 0ull);
  entered.n = 0;
}

void Recorder::publish(std::uint32_t slot, const io::Request& request) {
  withdraw(slot);  // entries of an I/O that failed
  Line& line = line_of(slot);
  Entered& entered = entered_[slot];
  const std::uint32_t slice = share_.control->slice.load(std::memory_order_relaxed);
  entered.slice = slice;
  if (slice == 0) return;
  entered.tells = divided_ + down_;
  const PlaceMap& map = share_.maps[request.target];
  const bool sync = request.dir == io::Dir::sync;
  line.published.dev = map.dev();
  line.published.pieces = sync ? 0 : map.pieces(request.offset, request.length, line.published.piece);
  line.published.sectors = (request.length + 511) >> 9;
  line.seen = {};
  entered.target = request.target;
  entered.offset = request.offset;
  entered.length = request.length;
  if (!share_.direct) entered.aheads = look(region_.past->aheads);
  if (sync || share_.commits) entered.commits = look(region_.past->commits);
  // A buffered write does not wait for writeback of its pages. Only bios of its task belong to it.
  const bool by_task_only = request.dir == io::Dir::write && !share_.direct && !share_.commits;
  if (!by_task_only) enter_pieces(slot, line.published, request.length);
  if (++generation_ == 0) ++generation_;
  if (share_.alone || by_task_only)
    return std::atomic_ref(line.published.generation).store(generation_, std::memory_order_release);
  appear_among_others(slot);
}

void Recorder::enter_pieces(std::uint32_t slot, const Published& published, std::uint32_t bytes) {
  Entered& entered = entered_[slot];
  for (unsigned i = 0; i < published.pieces; ++i) {
    const Piece& piece = published.piece[i];
    enter(place_hash(published.dev, piece.sector), slot, entered);
    if (!by_granule(bytes, share_.direct) && piece.reserved == 0) continue;
    const std::uint64_t first = piece.sector >> region_.granule_shift,
                        last = (piece.sector + piece.sectors - 1) >> region_.granule_shift;
    enter(granule_hash(published.dev, first), slot, entered);
    if (last != first) enter(granule_hash(published.dev, last), slot, entered);
  }
}

void Recorder::see(std::uint32_t slot, Moments& m) const {
  Seen& from = region_.lines[share_.first_slot + slot].seen;
  const unsigned long long balance = look(from.balance);
  m.queue = look(from.queue_ns);
  m.request = look(from.request_ns);
  m.issue = look(from.issue_ns);
  m.done = look(from.done_ns);
  m.flush = look(from.flush_ns);
  m.queued_sectors = static_cast<std::uint32_t>(balance >> 32);
  m.open_sectors = static_cast<std::uint32_t>(balance);
  m.flags = look(from.flags);
  m.delay_at_queue = look(from.delay_at_queue);
  m.delay_at_done = look(from.delay_at_done);
  m.contested = look(from.contested);
  m.ahead = m.others_commit = m.commit_begin = m.commit_end = 0;
}

// Finds the last read-ahead that ended during the I/O and overlaps it.
void Recorder::look_for_ahead(const Published& published, std::uint64_t from, Moments& m) const {
  const std::uint64_t to = look(region_.past->aheads);
  for (std::uint64_t i = std::max(from, to - std::min<std::uint64_t>(to, kAheads)); i < to; ++i) {
    Over& over = region_.past->ahead[i % kAheads];
    const std::uint64_t end = look(over.end_ns);
    if (end <= m.ahead || end < m.start || end > m.reap || look(over.dev) != published.dev) continue;
    const std::uint64_t sector = look(over.sector), behind = sector + look(over.sectors);
    for (unsigned p = 0; p < published.pieces; ++p)
      if (sector < published.piece[p].sector + published.piece[p].sectors && published.piece[p].sector < behind)
        m.ahead = end;
  }
}

// Calls see() for the commits that ended since the I/O was published, in the order of their ends.
template <class See>
void Recorder::each_commit(const Journal& journal, std::uint64_t from, const See& see) const {
  const std::uint64_t to = look(region_.past->commits);
  for (std::uint64_t i = std::max(from, to - std::min<std::uint64_t>(to, kCommits)); i < to; ++i) {
    Over& over = region_.past->commit[i % kCommits];
    if (journal.dev != Journal::kAny && look(over.dev) != journal.dev) continue;
    see(look(over.begin_ns), look(over.end_ns), static_cast<std::uint32_t>(look(over.sector)) & kCommitMask);
  }
}

// For an I/O with the number of the transaction that it needs, as ext4 stated it. A commit that ended before the I/O
// began, or before its data were written, is no wait. False: all ended commits are older. The number then belongs to
// others, which wrote to the file in the meantime.
bool Recorder::look_for_numbered(const Journal& journal, std::uint64_t from, Moments& m) const {
  const std::uint32_t wanted = m.flags >> kCommit_shift;
  const std::uint64_t since = std::max(m.start, m.done);
  bool found = false, newer = false;
  std::uint64_t others = 0;
  each_commit(journal, from, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t number) {
    if (number == wanted) {
      found = true;
      if (end < since) return;
      m.commit_begin = begin;
      m.commit_end = std::min(end, m.reap);
    } else if (((wanted - number) & kCommitMask) <= kCommitMask / 2) {
      others = end;
    } else {
      newer = true;
    }
  });
  if (m.commit_end != 0 && others >= since && others < m.commit_end) m.others_commit = others;
  return found || newer;
}

// Takes the last commit that ended before the flush, or before the I/O's end, as the I/O's commit. The commit before it
// counts if it was still in progress when the data were written.
void Recorder::look_for_last(const Journal& journal, std::uint64_t from, Moments& m) const {
  const std::uint64_t until = m.flush > m.done ? m.flush : m.reap;
  each_commit(journal, from, [&](std::uint64_t begin, std::uint64_t end, std::uint32_t) {
    if (end < std::max(m.start, m.done) || end > until || end < m.commit_end) return;
    if (m.commit_end != 0) m.others_commit = m.commit_end;
    m.commit_begin = begin;
    m.commit_end = end;
  });
}

// Finds the commit that the I/O waited for. An fsync that requested no commit from ext4 or xfs waited for none of them.
void Recorder::look_for_commit(const Journal& journal, std::uint64_t from, bool sync, Moments& m) const {
  if (journal.dev == Journal::kNone || journal.only_whole) return;
  const bool numbered = (m.flags & kCommitTold) != 0, forced = (m.flags & kLogForced) != 0;
  if (numbered && look_for_numbered(journal, from, m)) return;
  if (numbered || forced || !sync || !journal.told || !by_task_) look_for_last(journal, from, m);
}

// next: the moments of the I/O that provides the CPU wait; null: no such I/O.
void Recorder::divide_first(std::uint32_t n, const Moments* next) {
  for (std::uint32_t i = 0; i < n; ++i) {
    const auto& [to, m] = down(divided_ + i);
    std::uint64_t waited_ns = 0;
    if (next != nullptr && (m.flags & next->flags & kByOwnTask) != 0)
      waited_ns = std::uint64_t{next->delay_at_queue - m.delay_at_done} << kDelayUnit_shift;
    divide_one(m, waited_ns, *to, to == &share_.record->dirs[io::index(io::Dir::sync)]);
  }
  down_ -= n;
  divided_ += n;
}

// Attributes the deferred I/Os that had completed before this I/O was published.
void Recorder::tell(std::uint32_t slot, const Moments* next) {
  const std::uint64_t tells = entered_[slot].tells;
  if (tells > divided_) divide_first(static_cast<std::uint32_t>(tells - divided_), next);
}

// Queries the kernel for the task's wait since its data arrived.
[[gnu::noinline, gnu::cold]] bool Recorder::asked_kernel(const Moments& m, std::uint64_t& waited_ns) {
  if ((m.flags & kByOwnTask) == 0) return false;
  if (asked_at_ != m.reap) {
    const auto now_ns = own_wait_.now_ns();
    if (!now_ns) return false;
    asked_at_ = m.reap;
    own_waited_ns_ = *now_ns;
  }
  const auto now = static_cast<std::uint32_t>(own_waited_ns_ >> kDelayUnit_shift);
  waited_ns = std::uint64_t{now - m.delay_at_done} << kDelayUnit_shift;
  return true;
}

// m is the ring's entry after the deferred ones.
void Recorder::divide_or_put_down(DirectionSplit& to, std::uint32_t slot) {
  PutDown& one = down(divided_ + down_);
  const Moments& m = one.moments;
  tell(slot, &m);
  const bool sync = &to == &share_.record->dirs[io::index(io::Dir::sync)];
  if (!sync && m.done != 0) {
    const std::uint64_t back_ns = m.reap - m.done;
    std::uint64_t waited_ns = 0;
    if (back_ns < kShortestWait_ns || (back_ns >= kWorthAsking_ns && asked_kernel(m, waited_ns)))
      return divide_one(m, waited_ns, to, false);
  }
  one.to = &to;
  if (++down_ == put_down_.size()) divide_first(down_, nullptr);
}

void Recorder::take(std::uint32_t slot, io::Dir dir, std::uint64_t start, std::uint64_t reap, bool counts,
                    std::uint64_t rung) {
  if (line_.hold(reap)) share_.record->clock_error_ns = line_.error_ns();
  if (entered_[slot].slice == 0) {
    if (down_ > 0) divide_first(down_, nullptr);
    if (counts) share_.record->dirs[io::index(dir)].others.add(line_.at(reap) - line_.at(start));
    return;
  }
  Moments& m = down(divided_ + down_).moments;
  if (!share_.alone) look_again(slot);
  see(slot, m);
  withdraw(slot);
  if (!counts) return tell(slot, nullptr);
  m.start = line_.at(start);
  m.rung = rung == 0 ? 0 : line_.at(rung);
  m.reap = line_.at(reap);
  count(slot, dir, m);
}

void Recorder::count(std::uint32_t slot, io::Dir dir, Moments& m) {
  const Entered& entered = entered_[slot];
  const Published& published = line_of(slot).published;
  DirectionSplit& to = share_.record->dirs[io::index(dir)];
  const bool sync = dir == io::Dir::sync;
  if (sync || share_.commits) {
    const Journal& journal = share_.maps[entered.target].journal;
    if (sync && journal.only_whole) m.request = m.done = m.flush = 0, m.open_sectors = 0;
    look_for_commit(journal, entered.commits, sync, m);
  }
  if (!share_.direct && !sync) look_for_ahead(published, entered.aheads, m);
  const bool whole = published.pieces == 0 || !share_.direct || m.queued_sectors == published.sectors;
  bool joined = m.open_sectors == 0 && whole && m.contested == 0;
  if (!sync && m.queued_sectors == 0) joined = m.contested == 0 && (m.ahead != 0 || (m.flags & kThrottledDirty) != 0);
  if (joined) [[likely]]
    return divide_or_put_down(to, slot);
  tell(slot, nullptr);
  count_undivided(slot, to, m);
}

void Recorder::count_undivided(std::uint32_t slot, DirectionSplit& to, const Moments& m) {
  const Entered& entered = entered_[slot];
  const bool given_up = entered.slice <= share_.control->given_up.load(std::memory_order_relaxed);
  const bool empty = &to == &share_.record->dirs[io::index(io::Dir::read)] &&
                     share_.maps[entered.target].empty(entered.offset, entered.length);
  const Undivided why = given_up ? Undivided::cut : judge(m, line_of(slot).published, share_.direct, by_task_, empty);
  ++to.ios;
  auto& rest = to.undivided[static_cast<std::size_t>(why)];
  ++rest.ios;
  rest.time_ns += m.reap - m.start;
  (why == Undivided::no_request || why == Undivided::unknown ? to.uncovered : to.rest).add(m.reap - m.start);
}

}  // namespace fathom::split
