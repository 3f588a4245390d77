// A thread's record with a region and a source of known accesses, run in the test's own thread.
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <functional>
#include <limits>

#include "base/system/shared_memory.h"
#include "clock/sources/calibration.h"
#include "paging/touch/page_lock.h"
#include "paging/touch/touch_loop.h"

namespace fathom::paging {

inline constexpr auto kForEver = std::numeric_limits<std::uint64_t>::max();

// Access number i is make(i).
class MadeSource final : public sources::AccessSource {
 public:
  explicit MadeSource(std::function<sources::Access(std::uint64_t)> make) : make_(std::move(make)) {}
  void refill(std::span<sources::Access, sources::kAccessBlock> out, std::uint64_t elapsed_ns) override {
    last_elapsed_ns = elapsed_ns;
    for (auto& access : out) access = make_(next_++);
  }
  std::uint64_t warmup_accesses() const override { return 0; }
  bool exhausted() const override { return next_ >= end; }
  std::size_t in_block() const override {
    return next_ <= end ? sources::kAccessBlock : sources::kAccessBlock - (next_ - end);
  }

  std::uint64_t last_elapsed_ns = 0, end = kForEver;

 private:
  std::function<sources::Access(std::uint64_t)> make_;
  std::uint64_t next_ = 0;
};

struct FreshMap {
  std::byte* at;
  std::size_t bytes;
  explicit FreshMap(std::size_t pages)
      : at(static_cast<std::byte*>(::mmap(nullptr, pages * sources::kPage, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))),
        bytes(pages * sources::kPage) {
    ::madvise(at, bytes, MADV_NOHUGEPAGE);
  }
  FreshMap(const FreshMap&) = delete;
  FreshMap& operator=(const FreshMap&) = delete;
  ~FreshMap() { ::munmap(at, bytes); }
};

class LoopRun {
 public:
  LoopRun() : records_(1) {
    calibration = clock::sources::calibrate(clock::sources::Source::cpu);
    touch::prefault({&records_[0], 1});
    in.slow_ticks = in.mark_ticks = in.max_accesses = in.deadline = kForEver;
    in.mark_fd = -1;
  }
  sources::ThreadRecord& record() { return records_[0]; }
  const sources::ThreadHead& head() { return records_[0].head; }

  void ready(std::byte* base, sources::AccessSource& source) {
    in.base = base;
    in.source = &source;
    in.conversion =
        plan.stamps == Stamps::clock_gettime ? clock::sources::Conversion::identity() : calibration.conversion;
    in.delay_ticks = plan.delay_ticks;
    in.classify = plan.classify;
    in.begin = now();
    if (duration_ns != 0) in.deadline = in.begin + in.conversion.to_ticks({duration_ns}).v;
    touch::ready_to_touch(record(), in);
    record().head.ledger.begin(read_faults());
  }
  void go() {
    touch::find_touch_loop(plan, in.conversion)(record());
    if (plan.classify) record().head.ledger.between(read_faults());
  }
  void run(std::byte* base, sources::AccessSource& source) {
    ready(base, source);
    go();
  }
  std::uint64_t now() const {
    return plan.stamps == Stamps::clock_gettime ? clock::sources::MonotonicClock::now().v
                                                : clock::sources::CpuClock::now().v;
  }
  std::uint64_t counted(std::size_t c, std::size_t dir) {
    return stats::Histogram(record().histograms[c][dir].raw).total();
  }
  std::uint64_t counted() {
    std::uint64_t n = 0;
    for (std::size_t c = 0; c < 3; ++c) n += counted(c, 0) + counted(c, 1);
    return n;
  }

  TouchPlan plan;
  sources::LoopInputs in{};
  std::uint64_t duration_ns = 0;
  clock::sources::Calibration calibration;

 private:
  base::system::SharedArray<sources::ThreadRecord> records_;
};

}  // namespace fathom::paging
