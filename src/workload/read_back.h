// Repeats the writes of a job as reads, for verify=. A second stream from the same seed generates the same requests, so
// the I/Os that were done are not stored; the memory is that of a stream. Another source may repeat them instead.
// Thread rule: one owner.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "workload/stream.h"

namespace fathom::workload {

class ReadBack final : public Source {
 public:
  // `targets` must outlive this object; job_index as for the stream that it repeats. A job with a seed from the kernel
  // (randrepeat=0 without randseed=) must get a fixed one first. All memory is allocated here.
  ReadBack(const job::Job& job, std::span<const io::Target> targets, std::uint32_t job_index)
      : ReadBack(std::make_unique<Stream>(job, targets, job_index)) {}
  explicit ReadBack(std::unique_ptr<Source> requests) : requests_(std::move(requests)) {}

  // Ends after this number of writes, counted from the job's first; without a limit, every write of the job comes.
  void limit(std::uint64_t writes) { writes_most_ = writes; }
  // Omits the writes for which `wanted` returns false. It gets each as a read, and its number, counted from 0.
  void only_where(std::function<bool(const io::Request&, std::uint64_t)> wanted) { wanted_ = std::move(wanted); }
  // The next reads, not paced, in the order of the writes, each with the number of its write (io::note_write). `out`
  // has room for kBlock or more. All passes of the stream form one pass. 0: no more reads.
  std::size_t next(std::span<io::Request> out) override;
  bool begin_pass() override { return false; }
  // The next wanted read, if its number is below `number`. Empty: no more reads, or none below `number` yet.
  std::optional<io::Request> next_below(std::uint64_t number);
  // The number of the job's requests so far, by direction: a job with verify_only generates instead of issuing them.
  const io::PerDir<std::uint64_t>& generated() const { return generated_; }
  // Number of writes that were returned or omitted.
  std::uint64_t passed() const { return number_; }

 private:
  const io::Request* peek();

  std::unique_ptr<Source> requests_;
  std::uint64_t writes_most_ = ~std::uint64_t{0}, number_ = 0;
  std::function<bool(const io::Request&, std::uint64_t)> wanted_;
  io::PerDir<std::uint64_t> generated_{};
  io::Request block_[kBlock];
  std::size_t at_ = 0, made_ = 0;
  bool over_ = false;
};

}  // namespace fathom::workload
