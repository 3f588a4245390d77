// random_distribution=: a job's generator of block indices, selected once and called per I/O. The selection is a
// variant: no allocation, no virtual call. A sample costs one well predicted branch in addition to the generator.
//
// Position of hot blocks: zipf, pareto and normal produce ranks, and hot ranks are neighbors. As in fio, ranks are
// scattered over the range (here by a keyed permutation, so that exactly one rank reaches each block). A center rotates
// the scattered pattern in the range until the hottest block is at center * n. Thread rule: immutable, share freely;
// the Prng is the caller's.
#pragma once
#include <cstdint>
#include <variant>

#include "base/prng.h"
#include "pattern/draws/normal.h"
#include "pattern/draws/pareto.h"
#include "pattern/draws/zipf.h"
#include "pattern/permutation.h"
#include "pattern/spec.h"
#include "pattern/zoned.h"

namespace fathom::pattern {

class Uniform {
 public:
  explicit Uniform(std::uint64_t n) : n_(n) {}
  std::uint64_t operator()(base::Prng& prng) const { return prng.below(n_); }

 private:
  std::uint64_t n_;
};

// Rank -> block: a bijection of [0, n).
class Placement {
 public:
  Placement(const Spec& spec, std::uint64_t n, std::uint64_t key);
  std::uint64_t operator()(std::uint64_t rank) const {
    const std::uint64_t block = scatter_(rank) + shift_;
    return block >= scatter_.size() ? block - scatter_.size() : block;
  }

 private:
  Permutation scatter_;
  std::uint64_t shift_ = 0;
};

class Sampler {
 public:
  // n: blocks in the range, 1 to 2^52. block_bytes: block size (zoned_abs). key: selects the scatter.
  Sampler(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes, std::uint64_t key);

  // A block index in [0, n).
  std::uint64_t operator()(base::Prng& prng) const {
    return std::visit([&prng](const auto& generator) { return generator(prng); }, generator_);
  }

  // Passes n of them to take(i, index) in order: one selection of the generator, and the Prng stays in registers.
  template <class Take>
  void draw_many(base::Prng& prng, std::size_t n, Take take) const {
    std::visit(
        [&](const auto& generator) {
          base::Prng local = prng;
          for (std::size_t i = 0; i < n; ++i) take(i, generator(local));
          prng = local;
        },
        generator_);
  }

  template <class Ranks>
  struct Scattered {
    Ranks ranks;
    Placement place;
    std::uint64_t operator()(base::Prng& prng) const { return place(ranks(prng)); }
  };
  using Generator =
      std::variant<Uniform, Scattered<draws::Zipf>, Scattered<draws::Pareto>, Scattered<draws::Normal>, Zoned>;

 private:
  Generator generator_;
};

}  // namespace fathom::pattern
