// Sources with random pages: a generator of pages, a placement of them over the set, and within the page a word and
// whether it is a write. One template, instantiated for each generator, so that a block is one loop without a call
// (except into libm).
//
// The cost of making an access is in the wall time of a hit, so page, word and direction use as few draws as possible.
// Multiply-shift takes the page from a draw's high bits. Within one page the draw still runs through 2^64 / pages
// consecutive values, so its low 32 bits are even and independent of the page, to one part in 2^32 / pages (2^-16 in
// 256 MiB; xoshiro256++ has no weak low bits, unlike the + variant). Bits 2 to 11 are the word's offset directly. The
// low 32 bits, compared with a threshold that is a multiple of 2^12 (so bits 12 to 31), are the direction.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/prng.h"
#include "paging/sources/access_source.h"
#include "pattern/permutation.h"

namespace fathom::paging::sources {

inline constexpr unsigned kPageShift = 12;

// Word and direction within the page from 32 random bits.
class InPage {
 public:
  // offset_words < 0: random. A percentage is exact at 0 and 100, else within 0.00005 points.
  InPage(std::int64_t offset_words, double read_percent)
      : offset_mask_(offset_words < 0 ? 0xffc : 0),
        offset_fixed_(offset_words < 0 ? 0 : static_cast<std::uint64_t>(offset_words) << 2),
        reads_below_(static_cast<std::uint64_t>(std::llround(read_percent / 100 * 0x1p20)) << 12) {}
  std::uint64_t operator()(std::uint64_t draw) const {
    const std::uint64_t bits = draw & 0xffffffff;
    return ((draw & offset_mask_) | offset_fixed_) + (bits < reads_below_ ? 0 : 1);
  }

 private:
  std::uint64_t offset_mask_, offset_fixed_, reads_below_;
};

// Moves the hot pages at every multiple of the period since the window began, however late a block is, so that the
// times do not drift and all threads agree.
class MoveTimer {
 public:
  explicit MoveTimer(double period_s = 0)
      : period_ns_(period_s > 0 ? static_cast<std::uint64_t>(period_s * 1e9) : 0),
        next_ns_(period_ns_ == 0 ? std::numeric_limits<std::uint64_t>::max() : period_ns_) {}
  // Calls move() once for each due move.
  template <class Move>
  void advance(std::uint64_t elapsed_ns, Move move) {
    for (; elapsed_ns >= next_ns_; next_ns_ += period_ns_) move();
  }

 private:
  std::uint64_t period_ns_, next_ns_;
};

struct InPlace {
  std::uint64_t operator()(std::uint64_t page) const { return page; }
};

// A page, and random bits; their low 32 are independent of the page.
struct DrawnPage {
  std::uint64_t page, bits;
};

// Pages: DrawnPage operator()(Prng&), copied once a block; may have advance(elapsed_ns). Place: page -> page.
template <class Pages, class Place>
class DrawnSource final : public AccessSource {
 public:
  DrawnSource(Pages pages, Place place, InPage in_page, std::uint64_t seed, std::uint64_t warmup)
      : pages_(pages), place_(place), in_page_(in_page), prng_(seed), warmup_(warmup) {}

  void refill(std::span<Access, kAccessBlock> out, std::uint64_t elapsed_ns) override {
    if constexpr (requires { pages_.advance(elapsed_ns); }) pages_.advance(elapsed_ns);
    Pages pages = pages_;
    base::Prng prng = prng_;
    const InPage in_page = in_page_;
    for (Access& access : out) {
      const DrawnPage drawn = pages(prng);
      access.v = (place_(drawn.page) << kPageShift) + in_page(drawn.bits);
    }
    pages_ = pages;
    prng_ = prng;
  }
  std::uint64_t warmup_accesses() const override { return warmup_; }
  std::vector<std::span<const std::byte>> memory() const override { return {bytes_of(*this)}; }

 private:
  Pages pages_;
  Place place_;
  InPage in_page_;
  base::Prng prng_;
  std::uint64_t warmup_;
};

}  // namespace fathom::paging::sources
