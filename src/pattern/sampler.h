// random_distribution=: the one generator of block indices that a job asked for, chosen once and called per I/O. The
// choice is a variant, so there is no allocation and no virtual call, and a sample costs one well predicted branch more
// than the generator.
//
// Where the hot blocks lie: zipf, pareto and normal make ranks, and hot ranks are neighbours; as in fio, ranks are
// scattered over the range (here by a keyed permutation, so that each block stays reachable by exactly one rank), and a
// center moves the scattered pattern round the range until the hottest block lies at center * n. Thread rule:
// immutable, share freely; the Prng is the caller's.
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
  // n: blocks in the range, 1 to 2^52. block_bytes: size of one (zoned_abs). key: which scatter.
  Sampler(const Spec& spec, std::uint64_t n, std::uint64_t block_bytes, std::uint64_t key);

  // A block index in [0, n).
  std::uint64_t operator()(base::Prng& prng) const {
    return std::visit([&prng](const auto& generator) { return generator(prng); }, generator_);
  }

  // n of them, handed to take(i, index) in order: the generator is chosen once, and the Prng stays in registers.
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
