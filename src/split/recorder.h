// The loop's half of the latency breakdown. Before it submits an I/O, it publishes the I/O's location for the BPF
// programs (region.h). After the completion, it turns the moments that they recorded into parts of the latency. Both
// are on the path of every I/O of a job with --breakdown=all or =slices, and of no other job. They have no allocation,
// lock, system call or division, except a clock read every few milliseconds, and a query of the kernel after a long
// completion path.
//
// Parts are differences of recorded moments, in their order (docs/reference/breakdown.md): the loop's start timestamp,
// block_bio_queue, block_getrq, block_rq_issue, block_rq_complete (or block_bio_complete), the end of a flush, the
// loop's reap timestamp. A moment that is before its predecessor, which only the error of the clocks can cause, makes a
// part of 0 and is counted as outside.
//
// The CPU wait within the completion path is not known when the I/O completes. It is known when its task is next seen
// in the kernel, which is when the task queues its next I/O. The recorder therefore defers an I/O until then, and
// attributes its time when the next one is taken. There are two exceptions. A completion path too short for another
// task to run in between (kShortestWait_ns) is attributed at once. If it is so long that a query of the kernel is cheap
// in comparison (kWorthAsking_ns), the recorder queries the kernel, since the next I/O may be untraced or missing: the
// slice may be over.
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

// The mapped shared memory, and its lookup parameters.
struct Region {
  std::span<Line> lines;
  std::span<Bucket> places;
  std::span<Task> tasks;  // a power of two
  Past* past = nullptr;
  unsigned place_shift = 0, granule_shift = 0;
  bool submissions = false;  // submissions of io_uring are traced
  bool waits = false;        // the programs record CPU wait times of tasks
};

// The constant parts of a worker's share.
struct Share {
  std::uint32_t first_slot = 0, slots = 0;
  std::span<const PlaceMap> maps;  // by target
  SplitRecord* record = nullptr;
  const Control* control = nullptr;
  bool direct = false;  // direct=1: no reads from the page cache
  // each I/O may wait for a commit of the journal (sync=); for an fsync the commit is always looked up
  bool commits = false;
  std::uint32_t way = 0;
  bool alone = false;     // no other worker writes into the table of places
  bool followed = false;  // several I/Os at a time: it is known which of them its task submits (io_uring)
};
// Preemption of a task: two switches, and the other task's time in between.
inline constexpr std::uint64_t kShortestWait_ns = 2000;
// At this length, the query of some 0.6 us is below a hundredth.
inline constexpr std::uint64_t kWorthAsking_ns = 200'000;

// The recorded moments of one I/O, copied out of the shared memory. The job's times are converted: ns of
// CLOCK_MONOTONIC.
struct Moments {
  std::uint64_t start, rung, queue, request, issue, done, flush, reap;
  std::uint64_t ahead;                                    // end of a read-ahead that it waited for; 0: none
  std::uint64_t others_commit, commit_begin, commit_end;  // others_commit: end of an earlier commit; 0: none
  std::uint32_t queued_sectors, open_sectors, flags, delay_at_queue, delay_at_done;
  unsigned contested;
};

// True if an I/O may have a bio that begins after its first sector: it is longer than the largest bio of 4 KiB pages,
// with a margin, or goes through the page cache, which may have its first pages.
constexpr bool by_granule(std::uint32_t bytes, bool direct) { return !direct || bytes > 256 * 1024; }

class Recorder {
 public:
  Recorder(const Region& region, const Share& share, const MonotonicLine& line)
      : region_(region), share_(share), line_(line), entered_(share.slots), put_down_(std::bit_ceil(share.slots + 1)) {}
  Recorder(Recorder&&) = default;
  ~Recorder() { end(); }

  // Registers the calling thread: from now on it has one I/O at a time, in slot 0, or several, in slots that its engine
  // names.
  void follow_this_task(bool one_at_a_time);
  // Call this before the submitting call. slot: of the loop.
  void publish(std::uint32_t slot, const io::Request& request);
  // Call this after the completion. counts: the I/O began in the measured interval. rung: when the loop, which prepared
  // the I/O at `start`, made the submitting call; 0: no timestamp. Times are in ticks of the job's clock.
  void take(std::uint32_t slot, io::Dir dir, std::uint64_t start, std::uint64_t reap, bool counts,
            std::uint64_t rung = 0);
  // Call this after the last I/O. Attributes the deferred I/Os.
  void end() {
    if (!put_down_.empty()) divide_first(down_, nullptr);
  }

 private:
  Line& line_of(std::uint32_t slot) { return region_.lines[share_.first_slot + slot]; }
  // A slot's entries in the table of places: for each piece its first sector, and two granules at most.
  struct Entered {
    std::uint32_t slice = 0;  // slice in which the I/O in flight began; 0: not traced
    std::uint16_t target = 0;
    std::uint32_t length = 0;
    std::uint64_t offset = 0;
    std::uint64_t aheads = 0, commits = 0;  // counts of Past at its begin
    std::uint64_t tells = 0;                // number of deferred I/Os, since the start, that were complete at that time
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
  std::uint64_t asked_at_ = 0, own_waited_ns_ = 0;  // last result of the kernel; I/Os reaped together share it
  // Completed I/Os without a breakdown yet, in order of completion. The first I/O to complete that was published later
  // provides the CPU wait. While one is at the disk, others come and go. A loop that finds several complete takes them
  // all before it queues the next.
  struct PutDown {
    DirectionSplit* to;
    Moments moments;
  };
  PutDown& down(std::uint64_t n) { return put_down_[n & (put_down_.size() - 1)]; }
  std::vector<PutDown> put_down_;  // a ring with one spare entry, for the I/O being taken
  std::uint32_t down_ = 0;
  std::uint64_t divided_ = 0;  // of all deferred so far; the next down_ entries of the ring are still waiting
};

}  // namespace fathom::split
