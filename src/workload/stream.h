// The source of what a job asks for: a stream of requests that is generated: offsets, sizes, directions, syncs and
// intended start times, made in blocks so that the pattern costs one call a block. Reads no clock; reproducible from
// the seed. Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "io/request.h"
#include "io/target.h"
#include "io/trim_ranges.h"
#include "job/job.h"
#include "workload/source.h"

namespace fathom::workload {

class Stream final : public Source {
 public:
  // `targets` outlive the stream. All memory is allocated here. job_index is the job's number in the run: it enters the
  // seed as fio's does, so that clones differ and reruns agree (randrepeat=1).
  Stream(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index);
  ~Stream() override;
  Stream(Stream&&) noexcept;
  Stream(const Stream&) = delete;

  // The next requests of this pass, in order; fewer than out.size() only at the end of the pass, 0 after it. A pass
  // ends when size bytes (the last of loops=: the rest of io_size) or number_ios requests have been handed out
  // (budget.h). In a time_based job it ends when a direction or file has used up its window: the moment to drop the
  // page cache, as fio does. No allocation.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override;

  // Begins another pass (loops=, time_based). reseed: random sequences start over (loops with randrepeat), else they go
  // on. In a time_based job only what was used up starts over. Intended start times (due_ns) and number_ios go on
  // counting.
  void restart(bool reseed);

  // num_range: trims are made of several extents each, which are written there. Before the first next().
  void put_ranges_into(io::TrimRanges& ranges);

  // Bytes that one full pass moves (0 if bounded by number_ios only); for the status line and the estimate of time
  // left.
  std::uint64_t pass_bytes() const;
  // softrandommap=1: there was no memory for the random map, and the job goes without one.
  bool without_map() const { return without_map_; }
  // Largest request of the job in bytes: the size of a buffer.
  std::uint32_t largest_request() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool without_map_ = false;
};

}  // namespace fathom::workload
