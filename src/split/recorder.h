// The loop's half of the latency split: before an I/O is submitted its place is published for the kernel's programs
// (region.h), and when it is back, what they saw of it becomes parts of its latency. Both are on the path of every I/O
// of a job that asked for --breakdown=all or =slices, and of no other: no allocation, lock, system call or division in them, but a
// look at the clocks every few milliseconds, and at a long way back.
//
// Parts are differences of recorded moments, in their order (docs/reference/breakdown.md): the loop's start stamp, block_bio_queue,
// block_getrq, block_rq_issue, block_rq_complete (or block_bio_complete), the end of a flush, the loop's reap stamp. A moment that lies
// before the one it follows, which only the error of the clocks can do, makes a part of 0 and is counted as outside.
//
// What of the way back was waiting for a CPU is not known when the I/O is back, but when its task is next seen in the
// kernel, which is when it queues its next: an I/O is put down until then, and divided when that one is taken. Where the
// way back is so short that no other task can have been let on meanwhile (kShortestWait_ns), it is divided at once; and
// where it is so long that asking the kernel costs nothing beside (kWorthAsking_ns), the kernel is asked, for the next I/O
// may not be watched: a slice is over, or there is none.
// Thread rule: one thread, the worker's.
#pragma once
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/system/own_wait.h"
#include "io/request.h"
#include "split/monotonic_line.h"
#include "split/place_map.h"
#include "split/region.h"
#include "split/split_record.h"

namespace fathom::split {

// The shared memory, mapped; how it is looked up.
struct Region {
  std::span<Line> lines;
  std::span<Bucket> places;
  std::span<Task> tasks;  // a power of two of them
  Past* past = nullptr;
  unsigned place_shift = 0, granule_shift = 0;
  bool submissions = false;  // what io_uring submits is followed
  bool waits = false;        // the programs note how long tasks have waited for a CPU
};

// What is fixed of a worker's share.
struct Share {
  std::uint32_t first_slot = 0, slots = 0;
  std::span<const PlaceMap> maps;  // by target
  SplitRecord* record = nullptr;
  const Control* control = nullptr;
  bool direct = false;   // direct=1: the page cache answers nothing
  bool commits = false;  // each I/O may wait for a commit of the journal (sync=); of fsync it is looked for anyway
  std::uint32_t way = 0;
  bool alone = false;     // no other worker writes into the table of places
  bool followed = false;  // of several I/Os at a time: which of them its task submits is known (io_uring)
};
// A task that is taken off its CPU and comes on again: two switches, and the other's time in between.
inline constexpr std::uint64_t kShortestWait_ns = 2000;
// Some 0.6 us are to be less than a hundredth of it.
inline constexpr std::uint64_t kWorthAsking_ns = 200'000;

// What was seen of one I/O, copied out of the shared memory. Of a job's clock already: ns of CLOCK_MONOTONIC.
struct Moments {
  std::uint64_t start, rung, queue, request, issue, done, flush, reap;
  std::uint64_t ahead;                                    // the end of a read ahead that it waited for; 0: none
  std::uint64_t others_commit, commit_begin, commit_end;  // others_commit: the end of one before its own; 0: none
  std::uint32_t queued_sectors, open_sectors, flags, delay_at_queue, delay_at_done;
  unsigned contested;
};

// Whether an I/O may have a bio that begins behind its first sector: longer than the largest bio of 4 KiB pages, with
// room to spare; or through the page cache, which may have its first pages.
constexpr bool by_granule(std::uint32_t bytes, bool direct) { return !direct || bytes > 256 * 1024; }

class Recorder {
 public:
  Recorder(const Region& region, const Share& share, const MonotonicLine& line)
      : region_(region), share_(share), line_(line), entered_(share.slots), put_down_(std::bit_ceil(share.slots + 1)) {}
  Recorder(Recorder&&) = default;
  ~Recorder() { end(); }

  // The calling thread has one I/O at a time, in slot 0, from now on; or several, in slots that its engine names.
  void follow_this_task(bool one_at_a_time);
  // Before the submitting call. slot: of the loop.
  void publish(std::uint32_t slot, const io::Request& request);
  // The I/O is back. counts: it began in the measured part. rung: when its loop, which had prepared it at `start`, made
  // the submitting call; 0: not stamped. Times in ticks of the job's clock.
  void take(std::uint32_t slot, io::Dir dir, std::uint64_t start, std::uint64_t reap, bool counts,
            std::uint64_t rung = 0);
  // No further I/O comes. Those that were put down are divided.
  void end() {
    if (!put_down_.empty()) divide_first(down_, nullptr);
  }

 private:
  Line& line_of(std::uint32_t slot) { return region_.lines[share_.first_slot + slot]; }
  // A slot's entries in the table of places: of a piece its first sector, and two granules at most.
  struct Entered {
    std::uint32_t slice = 0;  // that the I/O in flight began in; 0: it is not watched
    std::uint16_t target = 0;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;
    std::uint64_t aheads = 0, commits = 0;  // of Past, as it began
    std::uint64_t tells = 0;                // as many as had been back by then, of all so far
    unsigned n = 0;
    unsigned long long* at[3 * kPieces];
    unsigned long long place[3 * kPieces];
  };
  [[gnu::always_inline]] inline void enter(std::uint64_t hash, std::uint32_t slot, Entered& entered);
  [[gnu::always_inline]] inline void withdraw(std::uint32_t slot);
  [[gnu::always_inline]] inline void enter_pieces(std::uint32_t slot, const Published& published, std::uint32_t bytes);
  [[gnu::always_inline]] inline void see(std::uint32_t slot, Moments& m) const;
  void look_for_ahead(const Published& published, std::uint64_t from, Moments& m) const;
  template <class See>
  void each_commit(const Journal& journal, std::uint64_t from, const See& see) const;
  bool look_for_numbered(const Journal& journal, std::uint64_t from, Moments& m) const;
  void look_for_last(const Journal& journal, std::uint64_t from, Moments& m) const;
  void look_for_commit(const Journal& journal, std::uint64_t from, bool sync, Moments& m) const;
  [[gnu::always_inline]] inline void divide_or_put_down(DirectionSplit& to, std::uint32_t slot);
  void divide_first(std::uint32_t n, const Moments* next);
  bool asked_kernel(const Moments& m, std::uint64_t& waited_ns);
  [[gnu::always_inline]] inline void tell(std::uint32_t slot, const Moments* next);
  [[gnu::always_inline]] inline void count(std::uint32_t slot, io::Dir dir, Moments& m);
  void count_undivided(std::uint32_t slot, DirectionSplit& to, const Moments& m);
  [[gnu::always_inline]] inline void look_around(Bucket& bucket, unsigned long long place, std::uint32_t slot);
  void look_at_other(std::uint32_t other, std::uint32_t slot);
  void look_again(std::uint32_t slot);
  void appear_among_others(std::uint32_t slot);

  Region region_;
  Share share_;
  MonotonicLine line_;
  std::vector<Entered> entered_;  // by slot
  std::uint32_t generation_ = 0;
  bool by_task_ = false;
  base::system::OwnWait own_wait_;
  std::uint64_t asked_at_ = 0, own_waited_ns_ = 0;  // the last answer: what is reaped together has one
  // I/Os that are back, and not divided yet, in that order. Whichever was published later and is back first tells: while
  // one is at the disk others come and go, and a loop that finds several done takes them all before it queues the next.
  struct PutDown {
    DirectionSplit* to;
    Moments moments;
  };
  PutDown& down(std::uint64_t n) { return put_down_[n & (put_down_.size() - 1)]; }
  std::vector<PutDown> put_down_;  // a ring, one entry more than there may be: of the I/O in hand
  std::uint32_t down_ = 0;
  std::uint64_t divided_ = 0;  // of all that were put down: those since are the next down_ of the ring
};

}  // namespace fathom::split
