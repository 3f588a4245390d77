// The kernel's half of the latency split, for tests without one: the shared memory, and what the programs of
// pmu/trace/programs/split.bpf.c look up and write in it, said once more in plain words.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "split/recorder.h"

namespace fathom::split::testing {

struct Sizes {
  std::uint32_t lines = 8;
  unsigned place_bits = 8;     // 1 << so many buckets
  unsigned granule_shift = 3;  // 8 sectors: I/Os of 4 KiB
  std::uint32_t tasks = 64;
};

class FakeKernel {
 public:
  bool waits = false;  // it tells how long this very thread has waited for a CPU

  explicit FakeKernel(const Sizes& sizes = {})
      : sizes_(sizes),
        lines_(sizes.lines),
        places_(std::size_t{1} << sizes.place_bits),
        tasks_(sizes.tasks),
        past_(std::make_unique<Past>()) {}
  FakeKernel(const FakeKernel&) = delete;

  Region region() {
    return {lines_, places_, tasks_, past_.get(), 64 - sizes_.place_bits, sizes_.granule_shift, false, waits};
  }
  const Line& line(std::uint32_t slot) const { return lines_[slot]; }
  Bucket& bucket(std::uint64_t hash) { return places_[hash >> (64 - sizes_.place_bits)]; }
  std::vector<Task>& tasks() { return tasks_; }
  Past& past() { return *past_; }

  // The slot of the I/O that a bio which begins at this sector is of: by that sector itself, then by its granule.
  std::optional<std::uint32_t> slot_at(std::uint32_t dev, std::uint64_t sector) {
    const auto slot = slot_in(dev, sector, place_hash(dev, sector));
    return slot ? slot : slot_in(dev, sector, granule_hash(dev, sector >> sizes_.granule_shift));
  }
  std::optional<std::uint32_t> slot_of_task(std::uint32_t task) const {
    for (std::uint32_t w = 0; w < kWays; ++w) {
      const Task& at = tasks_[(task + w) & (sizes_.tasks - 1)];
      if (at.task == 0) return std::nullopt;
      if (at.task == task) return at.slot;
    }
    return std::nullopt;
  }
  // How often the slot stands in the table of places, and all of them together.
  unsigned entries_of(std::uint32_t slot) const {
    unsigned n = 0;
    for (const auto& bucket : places_)
      for (const auto place : bucket.way) n += place != 0 && static_cast<std::uint32_t>(place) == slot;
    return n;
  }
  unsigned entries() const {
    unsigned n = 0;
    for (const auto& bucket : places_)
      for (const auto place : bucket.way) n += place != 0;
    return n;
  }

  // What the programs write: a bio is queued, has a request, which is issued, sectors of it are done, a flush after them is.
  void queue(std::uint32_t slot, std::uint32_t sectors, std::uint64_t ns, unsigned flags = kByOwnTask) {
    Seen& seen = lines_[slot].seen;
    if (seen.balance >> 32 == 0) {
      seen.queue_ns = ns;
      seen.flags = flags;
    }
    seen.balance += std::uint64_t{sectors} << 32 | sectors;
  }
  void request(std::uint32_t slot, std::uint64_t ns) {
    if (lines_[slot].seen.request_ns == 0) lines_[slot].seen.request_ns = ns;
  }
  void issue(std::uint32_t slot, std::uint64_t ns) {
    if (lines_[slot].seen.issue_ns == 0) lines_[slot].seen.issue_ns = ns;
  }
  void done(std::uint32_t slot, std::uint32_t sectors, std::uint64_t ns) {
    lines_[slot].seen.done_ns = ns;
    lines_[slot].seen.balance -= sectors;
  }
  void flushed(std::uint32_t slot, std::uint64_t ns) { lines_[slot].seen.flush_ns = ns; }
  // How long its task has waited for a CPU, in units of 16 ns.
  void waited(std::uint32_t slot, unsigned at_queue, unsigned at_done) {
    lines_[slot].seen.delay_at_queue = at_queue;
    lines_[slot].seen.delay_at_done = at_done;
  }
  // The task is about to sleep until enough has been written back.
  void throttled(std::uint32_t slot, std::uint64_t ns) {
    lines_[slot].seen.flags = kThrottledDirty;
    lines_[slot].seen.request_ns = ns;
  }
  void read_ahead(std::uint32_t dev, std::uint64_t sector, std::uint32_t sectors, std::uint64_t end_ns) {
    past_->ahead[past_->aheads++ % kAheads] = {end_ns - 1, end_ns, sector, sectors, dev};
  }
  void commit(std::uint32_t dev, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint32_t number = 0) {
    past_->commit[past_->commits++ % kCommits] = {begin_ns, end_ns, number, 0, dev};
  }
  // ext4 is done with an fsync, and told which transaction it needs.
  void needs(std::uint32_t slot, std::uint32_t number) {
    lines_[slot].seen.flags |= unsigned{kCommitTold} | number << kCommit_shift;
  }
  // xfs is asked for its log.
  void log_forced(std::uint32_t slot) { lines_[slot].seen.flags |= kLogForced; }

 private:
  std::optional<std::uint32_t> slot_in(std::uint32_t dev, std::uint64_t sector, std::uint64_t hash) {
    for (const auto place : bucket(hash).way) {
      const auto slot = static_cast<std::uint32_t>(place);
      if (place >> 32 == place_tag(hash) && slot < lines_.size() && holds(lines_[slot].published, dev, sector))
        return slot;
    }
    return std::nullopt;
  }
  static bool holds(const Published& p, std::uint32_t dev, std::uint64_t sector) {
    if (p.generation == 0 || p.dev != dev) return false;
    for (unsigned i = 0; i < p.pieces && i < kPieces; ++i)
      if (sector - p.piece[i].sector < p.piece[i].sectors) return true;
    return false;
  }

  Sizes sizes_;
  std::vector<Line> lines_;
  std::vector<Bucket> places_;
  std::vector<Task> tasks_;
  std::unique_ptr<Past> past_;
};

}  // namespace fathom::split::testing
