// Block sizes of one direction: fixed, bsrange= or bssplit=. A range is drawn in units of its smallest size
// (bs_unaligned: in bytes), a split by the weights of its entries. A draw costs one random number and at most two
// multiplications: division by a unit that is no power of two is multiplication by its reciprocal. Thread rule:
// immutable after construction.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/prng.h"
#include "io/request.h"
#include "job/job.h"

namespace fathom::workload::places {

class Sizes {
 public:
  Sizes() = default;
  Sizes(const job::Job& job, io::Dir dir);

  bool fixed() const { return min_ == max_; }
  std::uint32_t min() const { return min_; }
  std::uint32_t max() const { return max_; }

  // The next size, at most `room` bytes; the smallest one is assumed to fit. Draws again while too large, as fio does.
  std::uint32_t draw(base::Prng& prng, std::uint64_t room) const;
  // The next size without a limit; `random` is any generator with next() and below().
  template <class Random>
  std::uint32_t draw_any(Random& random) const {
    if (!split_.empty()) {
      const std::uint64_t draw = random.next();
      const Entry* entry = split_.data();
      while (draw > entry->last_draw) ++entry;
      return entry->bytes;
    }
    if (unaligned_) return min_ + static_cast<std::uint32_t>(random.below(std::uint64_t{max_} - min_ + 1));
    return std::min((1 + divide_by_min(random.below(max_))) * min_, max_);
  }
  bool operator==(const Sizes&) const = default;
  // bytes / min(), rounded up.
  std::uint32_t units(std::uint32_t bytes) const { return divide_by_min(std::uint64_t{bytes} + (min_ - 1)); }

 private:
  struct Entry {
    std::uint64_t last_draw;
    std::uint32_t bytes;
    bool operator==(const Entry&) const = default;
  };
  void take_split(const job::Job& job, io::Dir dir);
  // Exact if x * min < 2^64 (Granlund and Montgomery 1994: the reciprocal is 2^64 / min, rounded up).
  std::uint32_t divide_by_min(std::uint64_t x) const { return static_cast<std::uint32_t>(x * reciprocal_ >> 64); }

  std::uint32_t min_ = 4096, max_ = 4096;
  bool unaligned_ = false;
  unsigned __int128 reciprocal_ = 0;
  std::vector<Entry> split_;
};

}  // namespace fathom::workload::places
