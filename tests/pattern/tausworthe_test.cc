// The combined Tausworthe generators: known answers, the recurrence of each component, uniform numbers.
#include "pattern/tausworthe.h"

#include <gtest/gtest.h>

#include <vector>

namespace fathom::pattern::testing {
namespace {

// GNU Scientific Library, rng/test.c: gsl_rng_taus2 with seed 1, after its six rounds of warming up.
TEST(Tausworthe, taus88_matches_the_gnu_scientific_library) {
  const auto congruential = [](std::uint32_t n) { return 69069u * n; };
  const std::uint32_t a = congruential(1), b = congruential(a), c = congruential(b);
  Taus88 taus(a, b, c);
  for (int i = 0; i < 6; ++i) taus.next();
  std::uint32_t last = 0;
  for (int i = 0; i < 10'000; ++i) last = taus.next();
  EXPECT_EQ(last, 2733957125u);
}

// The upper bits of a component are a window over u(n) = u(n - (length - middle)) ^ u(n - length), which moves by `step`.
template <class Word, unsigned Length, unsigned Middle, unsigned Step>
void expect_recurrence() {
  constexpr unsigned kBits = 8 * sizeof(Word);
  Word state = static_cast<Word>(0x9e3779b97f4a7c15ull);
  state = tausworthe_step<Word, Length, Middle, Step>(state);
  std::vector<bool> u;
  for (unsigned i = 0; i < kBits; ++i) u.push_back((state >> (kBits - 1 - i) & 1) != 0);
  while (u.size() < kBits + 40 * Step) {
    const std::size_t n = u.size();
    u.push_back(u[n - Length + Middle] != u[n - Length]);
  }
  for (unsigned turn = 1; turn <= 40; ++turn) {
    state = tausworthe_step<Word, Length, Middle, Step>(state);
    for (unsigned i = 0; i < kBits; ++i)
      ASSERT_EQ((state >> (kBits - 1 - i) & 1) != 0, u[turn * Step + i]) << Length << " " << turn << " " << i;
  }
}

TEST(Tausworthe, components_follow_their_trinomials) {
  expect_recurrence<std::uint32_t, 31, 13, 12>();
  expect_recurrence<std::uint32_t, 29, 2, 4>();
  expect_recurrence<std::uint32_t, 28, 3, 17>();
  expect_recurrence<std::uint64_t, 63, 1, 10>();
  expect_recurrence<std::uint64_t, 55, 24, 5>();
  expect_recurrence<std::uint64_t, 52, 3, 29>();
  expect_recurrence<std::uint64_t, 47, 5, 23>();
  expect_recurrence<std::uint64_t, 41, 3, 8>();
}

// The sum of the components is the exclusive or of their states.
TEST(Tausworthe, lfsr258_is_the_sum_of_its_components) {
  std::uint64_t a = 1ull << 40, b = 3ull << 41, c = 5ull << 42, d = 7ull << 43, e = 9ull << 44;
  Lfsr258 sum(a, b, c, d, e);
  for (int i = 0; i < 100; ++i) {
    a = tausworthe_step<std::uint64_t, 63, 1, 10>(a);
    b = tausworthe_step<std::uint64_t, 55, 24, 5>(b);
    c = tausworthe_step<std::uint64_t, 52, 3, 29>(c);
    d = tausworthe_step<std::uint64_t, 47, 5, 23>(d);
    e = tausworthe_step<std::uint64_t, 41, 3, 8>(e);
    ASSERT_EQ(sum.next(), a ^ b ^ c ^ d ^ e);
  }
}

template <class Generator>
void expect_uniform() {
  Generator generator(7);
  std::vector<int> cells(64);
  for (int i = 0; i < 64'000; ++i) ++cells[generator.below(64)];
  double chi = 0;
  for (const int hits : cells) chi += (hits - 1000.0) * (hits - 1000.0) / 1000.0;
  EXPECT_LT(chi, 110);  // 63 degrees of freedom: p = 0.0002
}

TEST(Tausworthe, numbers_are_uniform) {
  expect_uniform<Taus88>();
  expect_uniform<Lfsr258>();
  Taus88 wide(3);
  for (int i = 0; i < 1000; ++i) ASSERT_LT(wide.below(1ull << 32), 1ull << 32);
}

}  // namespace
}  // namespace fathom::pattern::testing
