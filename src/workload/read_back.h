// The writes of a job once more, as reads: what verify= reads back. A second stream from the same seed makes the same
// requests again, so nothing is kept of the I/Os that were done; the memory is that of a stream. Thread rule: one
// owner.
#pragma once
#include <cstdint>
#include <span>

#include "workload/stream.h"

namespace fathom::workload {

class ReadBack final : public Source {
 public:
  // `targets` outlive it; job_index as for the stream that it repeats. A job whose seed comes from the kernel
  // (randrepeat=0 without randseed=) has to be given one first. All memory is allocated here.
  ReadBack(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index)
      : stream_(job, targets, job_index) {}

  // Ends after so many writes; without it every write of the job comes.
  void limit(std::uint64_t writes) { writes_left_ = writes; }
  // The next reads, not paced, in the order of the writes; out has kBlock places or more. All of the stream's passes
  // are one. 0: that was all.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return false; }

 private:
  std::size_t next_of_stream(std::span<io::Request> out);

  Stream stream_;
  std::uint64_t writes_left_ = ~std::uint64_t{0};
  bool over_ = false;
};

}  // namespace fathom::workload
