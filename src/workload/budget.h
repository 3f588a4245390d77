// The amount that a job moves, counted as fio counts it (checked against fio's totals in
// tests/workload/counts_test.cc).
//
// A run covers `size` bytes, summed over files and directions, or less if the files hold less. `io_size` and
// `number_ios` count over all runs, and are multiplied by loops. There are `loops` runs; a larger io_size causes
// further runs, which belong to the last pass. A mixed sequential job with an io_size above its size needs one run, in
// which each direction wraps separately; so does a random writer without a map. trimwrite counts its writes: a block is
// trimmed, then written, and counts as one block of the size. time_based ignores all three (fio ignores number_ios
// too): such a job ends by its runtime.
// a job ends by its runtime.
#pragma once
#include <algorithm>
#include <cstdint>

#include "io/request.h"
#include "job/job.h"

namespace fathom::workload {

// Bytes that a job moves in all passes, if its targets have window_bytes for it. 0: not limited by size, io_size or
// number_ios (time_based). largest: its largest request.
std::uint64_t bytes_to_move(const job::Job& job, std::uint64_t window_bytes, std::uint32_t largest);

class Budget {
 public:
  // window_bytes: what the job may touch of all its targets together. largest: the job's largest request. in_passes: a
  // time_based job has passes, too, each of its size (or a larger io_size).
  Budget(const job::Job& job, std::uint64_t window_bytes, std::uint32_t largest, bool in_passes = false);

  bool spent() const { return run_left_ == 0 || total_left_ == 0 || ios_left_ == 0; }
  void count(io::Dir dir, std::uint32_t bytes) {
    run_left_ -= std::min<std::uint64_t>(run_left_, bytes);
    done_ += bytes;
    if (!(trim_then_write_ && dir == io::Dir::trim)) total_left_ -= std::min<std::uint64_t>(total_left_, bytes);
    --ios_left_;
  }
  // A request that was already counted becomes longer by `bytes`.
  void count_more(std::uint32_t bytes) {
    run_left_ -= std::min<std::uint64_t>(run_left_, bytes);
    total_left_ -= std::min<std::uint64_t>(total_left_, bytes);
    done_ += bytes;
  }
  // A request that was counted with `drawn` bytes, when left_bytes were left, has only `bytes`; 0: it does not count.
  void count_less(std::uint64_t left_bytes, std::uint32_t drawn, std::uint32_t bytes) {
    const std::uint64_t back =
        left_bytes >= drawn ? drawn - bytes : left_bytes - std::min<std::uint64_t>(left_bytes, bytes);
    run_left_ += back;
    total_left_ += back;
    done_ -= drawn - bytes;
    if (bytes == 0) ++ios_left_;
  }
  std::uint64_t bytes_left() const { return std::min(run_left_, total_left_); }
  // Requests of this size that fit before spent(), at most `wanted`; for loops that count once per block. Only for jobs
  // with one direction.
  std::uint64_t room(std::uint32_t bytes, std::uint64_t wanted) const;
  void count_many(std::uint32_t bytes, std::uint64_t requests);

  // Begins the next pass.
  void begin_pass();
  // Begins another run of the same pass if io_size requires one; false if the pass is over.
  bool begin_further_run();

  std::uint64_t pass_bytes() const { return pass_bytes_; }
  // True: sequential directions wrap separately within a run.
  bool wraps_in_run() const { return wraps_in_run_; }

 private:
  bool trim_then_write_, time_based_, wraps_in_run_;
  std::uint64_t io_size_ = 0, run_bytes_ = 0, pass_bytes_ = 0;
  std::uint64_t run_left_ = 0, total_left_ = 0, ios_left_ = 0;
  std::uint64_t done_ = 0, done_at_run_start_ = 0;
  std::uint64_t loops_, passes_ = 1;
  std::uint32_t largest_;
};

}  // namespace fathom::workload
