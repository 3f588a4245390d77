// pmbench's generators as a source of accesses: three streams of random numbers per thread, for page, word and
// direction.
#pragma once
#include <cstdint>

#include "paging/sources/access_source.h"
#include "paging/sources/legacy.h"
#include "paging/sources/sources_drawn.h"

namespace fathom::paging::sources {

template <class Pages>
class LegacySource final : public AccessSource {
 public:
  // thread: from 1.
  LegacySource(Pages pages, const PatternPlan& plan, unsigned thread, std::uint64_t warmup)
      : pages_(pages),
        words_(thread + 7),
        directions_(thread + 50),
        offset_words_(plan.offset_words),
        reads_below_(static_cast<std::uint32_t>(plan.read_percent) * 1024 / 100),
        warmup_(warmup) {
    for (int i = 0; i < sources::kDrawsToTimeIt; ++i) pages_();
  }

  void refill(std::span<Access, kAccessBlock> out, std::uint64_t) override {
    for (Access& access : out) {
      const std::uint64_t word = offset_words_ < 0 ? words_.next() >> 21 : static_cast<std::uint64_t>(offset_words_);
      const bool write = directions_.next() % 1024 >= reads_below_;
      access = Access::of((pages_() << kPageShift) + word * 4, write);
    }
  }
  std::uint64_t warmup_accesses() const override { return warmup_; }
  std::vector<std::span<const std::byte>> memory() const override { return {bytes_of(*this)}; }

 private:
  Pages pages_;
  sources::Lcg words_, directions_;
  std::int64_t offset_words_;
  std::uint32_t reads_below_;
  std::uint64_t warmup_;
};

}  // namespace fathom::paging::sources
