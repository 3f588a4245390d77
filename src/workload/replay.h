// The writes of a job once more, as reads: what verify= reads back. A second stream from the same seed makes the same
// requests again, so nothing is kept of the I/Os that were done; the memory is that of a stream. Thread rule: one
// owner.
#pragma once
#include <cstdint>
#include <span>

#include "workload/stream.h"

namespace fathom::workload {

class Replay {
 public:
  // The block that a loop asks its stream for: a replay asks for the same, so that the order is the same.
  static constexpr std::size_t kBlock = 128;

  // `targets` and `job` outlive the replay; job_index as for the stream that it repeats. A job whose seed comes from
  // the kernel (randrepeat=0 without randseed=) has to be given one first. All memory is allocated here.
  Replay(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index);

  // Ends the replay after so many writes; without it every write of the job comes.
  void limit(std::uint64_t writes) { writes_left_ = writes; }
  // The next reads, not paced, in the order of the writes; out has kBlock places or more. 0: that was all. No
  // allocation.
  std::size_t next(std::span<io::Request> out);

 private:
  std::size_t next_of_stream(std::span<io::Request> out);

  const job::Job& job_;
  Stream stream_;
  std::uint64_t writes_left_ = ~std::uint64_t{0};
  std::uint64_t loops_left_;
  bool over_ = false;
};

}  // namespace fathom::workload
