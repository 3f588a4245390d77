// pmbench's own generators, number for number, for runs to compare with pmbench's. Its patterns do not do what their
// names say (docs/migrate-pmbench.md), so they have separate names, legacy:... . Known by their behavior: 31 bits of a
// 64-bit linear congruential generator with Knuth's constants for each stream, modulo bounds, seeds from the thread's
// number (from 1), and a million pages drawn and discarded before the first access (pmbench times its generator with
// them). They divide, as pmbench does, outside of any timed pair. Thread rule: one user each.
#pragma once
#include <cstdint>

namespace fathom::paging::sources {

class Lcg {
 public:
  explicit Lcg(std::uint64_t seed) : state_(seed) {}
  std::uint32_t next() {
    state_ = state_ * kFactor + kTerm;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  void skip(std::uint64_t numbers);  // like `numbers` calls of next()

 private:
  static constexpr std::uint64_t kFactor = 6364136223846793005u, kTerm = 1442695040888963407u;
  std::uint64_t state_;
};
inline constexpr double kLcgLargest = 2147483647;  // next() is at most 2^31 - 1

// Each takes pages in the set, shape, and thread's number from 1, and returns one page per call.
class Uniform {
 public:
  Uniform(std::uint64_t n, double shape, unsigned thread);
  std::uint64_t operator()() { return random_.next() % n_; }

 private:
  Lcg random_;
  std::uint64_t n_;
};

// Marsaglia's polar method, two pages per pair of draws. The standard deviation is a whole number of pages. A value
// outside becomes the page in the middle.
class Normal {
 public:
  Normal(std::uint64_t n, double shape, unsigned thread);
  std::uint64_t operator()();

 private:
  std::uint64_t page_at(double deviations) const;
  Lcg random_;
  std::uint64_t n_;
  double deviation_;
  std::uint64_t second_ = 0;
  bool has_second_ = false;
};

// The mean of twelve uniforms of whole pages, over the largest multiple of twelve near n - 1, put in the middle.
class NormalIh {
 public:
  NormalIh(std::uint64_t n, double shape, unsigned thread);
  std::uint64_t operator()();

 private:
  Lcg random_;
  std::int64_t last_, span_, shift_;
};

// Bounded Pareto over [1, n]; also what pmbench calls zipf.
class Pareto {
 public:
  Pareto(std::uint64_t n, double shape, unsigned thread);
  std::uint64_t operator()();

 private:
  Lcg random_;
  double span_, power_;
};

inline constexpr std::uint64_t kSmallestSet = 8;  // pages: below, normal_ih divides by zero
inline constexpr int kDrawsToTimeIt = 1'000'000;

}  // namespace fathom::paging::sources
