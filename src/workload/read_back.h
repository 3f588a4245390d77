// The writes of a job once more, as reads: what verify= reads back. A second stream from the same seed makes the same
// requests again, so nothing is kept of the I/Os that were done; the memory is that of a stream. Thread rule: one
// owner.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include "workload/stream.h"

namespace fathom::workload {

class ReadBack final : public Source {
 public:
  // `targets` outlive it; job_index as for the stream that it repeats. A job whose seed comes from the kernel
  // (randrepeat=0 without randseed=) has to be given one first. All memory is allocated here.
  ReadBack(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index)
      : stream_(job, targets, job_index) {}

  // Ends after so many writes, counted from the job's first; without it every write of the job comes.
  void limit(std::uint64_t writes) { writes_most_ = writes; }
  // Leaves out the writes for which it says no. It gets each as a read, and its number, counted from 0.
  void only_where(std::function<bool(const io::Request&, std::uint64_t)> wanted) { wanted_ = std::move(wanted); }
  // The next reads, not paced, in the order of the writes, each with the number of its write (io::note_write); out has
  // kBlock places or more. All of the stream's passes are one. 0: that was all.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return false; }
  // The next one that is wanted, if its number is below this. None: there is none, or not yet.
  std::optional<io::Request> next_below(std::uint64_t number);
  // How many writes have been handed out or left out.
  std::uint64_t passed() const { return number_; }

 private:
  const io::Request* peek();

  Stream stream_;
  std::uint64_t writes_most_ = ~std::uint64_t{0}, number_ = 0;
  std::function<bool(const io::Request&, std::uint64_t)> wanted_;
  io::Request block_[kBlock];
  std::size_t at_ = 0, made_ = 0;
  bool over_ = false;
};

}  // namespace fathom::workload
