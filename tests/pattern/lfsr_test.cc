// A register of every length goes through all its states, and a pass says every number once.
#include "pattern/lfsr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fathom::pattern::testing {
namespace {

std::vector<std::uint64_t> a_pass(Lfsr& lfsr, std::uint64_t n) {
  std::vector<std::uint64_t> numbers(n);
  // In uneven pieces, as blocks and single requests take them.
  for (std::uint64_t at = 0; at < n;) {
    const std::uint64_t count = std::min<std::uint64_t>(1 + at % 7, n - at);
    lfsr.next_many(count, [&](std::size_t i, std::uint64_t number) { numbers[at + i] = number; });
    at += count;
  }
  return numbers;
}

TEST(Lfsr, a_pass_visits_every_number_once) {
  for (const std::uint64_t n : {1ull, 2ull, 3ull, 4ull, 5ull, 63ull, 64ull, 65ull, 1000ull, 65536ull, 100'000ull})
    for (std::uint64_t key = 0; key < 4; ++key) {
      Lfsr lfsr(n);
      lfsr.begin(key);
      std::vector<bool> seen(n);
      for (const auto number : a_pass(lfsr, n)) {
        ASSERT_LT(number, n);
        ASSERT_FALSE(seen[number]) << n << " " << key << " " << number;
        seen[number] = true;
      }
      std::uint64_t none = 0;
      EXPECT_EQ(lfsr.left(), 0u);
      EXPECT_FALSE(lfsr.next(none));
    }
}

TEST(Lfsr, another_key_begins_elsewhere) {
  Lfsr one(1000), other(1000);
  one.begin(1);
  other.begin(2);
  const auto first = a_pass(one, 1000);
  EXPECT_NE(first, a_pass(other, 1000));
  one.begin(1);
  EXPECT_EQ(first, a_pass(one, 1000));
}

// Polynomials over GF(2) as bits, modulo one of degree `bits`.
struct Field {
  unsigned __int128 modulus;
  unsigned bits;
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    unsigned __int128 product = 0, shifted = a;
    for (; b != 0; b >>= 1, shifted <<= 1) {
      if ((shifted >> bits & 1) != 0) shifted ^= modulus;
      if ((b & 1) != 0) product ^= shifted;
    }
    return static_cast<std::uint64_t>(product);
  }
  std::uint64_t x_to(std::uint64_t exponent) const {
    std::uint64_t result = 1;
    for (std::uint64_t base = 2; exponent != 0; exponent >>= 1, base = times(base, base))
      if ((exponent & 1) != 0) result = times(result, base);
    return result;
  }
};

std::vector<std::uint64_t> primes_of(std::uint64_t n) {
  std::vector<std::uint64_t> primes;
  for (std::uint64_t p = 2; p * p <= n; ++p)
    while (n % p == 0) {
      if (primes.empty() || primes.back() != p) primes.push_back(p);
      n /= p;
    }
  if (n > 1) primes.push_back(n);
  return primes;
}

TEST(Lfsr, every_polynomial_is_primitive) {
  for (unsigned bits = 3; bits <= Lfsr::kMostBits; ++bits) {
    const std::uint64_t period = (1ull << bits) - 1;
    const Field field{static_cast<unsigned __int128>(Lfsr::taps(bits)) << 1 | 1, bits};
    ASSERT_EQ(field.x_to(period), 1u) << bits;
    for (const auto prime : primes_of(period)) ASSERT_NE(field.x_to(period / prime), 1u) << bits << " " << prime;
  }
}

}  // namespace
}  // namespace fathom::pattern::testing
