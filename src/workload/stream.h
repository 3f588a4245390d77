// The source that generates a job's requests: offsets, sizes, directions, syncs and intended start times, in blocks, so
// that the pattern costs one call per block. Reads no clock; reproducible from the seed. Thread rule: one owner.
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
  // `targets` must outlive the stream. All memory is allocated here. job_index is the job's number in the run: it
  // enters the seed as in fio, so that clones differ and reruns agree (randrepeat=1).
  Stream(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index);
  ~Stream() override;
  Stream(Stream&&) noexcept;
  Stream(const Stream&) = delete;

  // The next requests of this pass, in order; fewer than out.size() only at the end of the pass, 0 after it. A pass
  // ends after size bytes (the last of loops=: the rest of io_size) or number_ios requests (budget.h). In a time_based
  // job it ends when a direction or file has used up its window: then the loop drops the page cache, as fio does. No
  // allocation.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override;

  // Begins another pass (loops=, time_based). reseed: random sequences restart (loops with randrepeat), else they
  // continue. In a time_based job only used-up directions and files restart. Intended start times (due_ns) and
  // number_ios continue.
  void restart(bool reseed);

  // num_range: each trim has several extents, which are stored in `ranges`. Call before the first next().
  void put_ranges_into(io::TrimRanges& ranges);

  // zonemode=zbd: the last request of next() went elsewhere, or is shorter. `left_bytes` was bytes_left() before it. The
  // next sequential one of its file and direction begins at `next`.
  struct Placed {
    io::Request request;  // length 0: it does not take place
    std::uint64_t next = 0, left_bytes = 0;
    std::uint32_t drawn_bytes = 0;
  };
  void placed(const Placed& placed);
  std::uint64_t bytes_left() const;
  // No further request for this file in this pass.
  void end_file(std::uint16_t target);

  // Bytes that one full pass moves (0 if only number_ios limits it); for the status line and the estimate of the
  // remaining time.
  std::uint64_t pass_bytes() const;
  // softrandommap=1: there was no memory for the random map, and the job runs without one.
  bool without_map() const { return without_map_; }
  // Largest request of the job in bytes: the size of a buffer.
  std::uint32_t largest_request() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  bool without_map_ = false;
};

}  // namespace fathom::workload
