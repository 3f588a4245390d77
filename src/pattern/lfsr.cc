// The feedback of the shift registers.
#include "pattern/lfsr.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/prng.h"

namespace fathom::pattern {
namespace {

// Of 2 bits and more: of the primitive polynomials with fewest terms the lowest, without its constant term; bit k - 1
// stands for x^k. Found by search: x^(2^bits - 1) is 1, and for no prime divisor q of it is x^((2^bits - 1) / q)
// (tests/pattern/lfsr_test.cc does it again).
constexpr std::uint64_t kTaps[] = {
    0x3,
    0x5,
    0x9,
    0x12,
    0x21,
    0x41,
    0x8e,
    0x108,
    0x204,
    0x402,
    0x829,
    0x100d,
    0x2015,
    0x4001,
    0x8016,
    0x10004,
    0x20040,
    0x40013,
    0x80004,
    0x100002,
    0x200001,
    0x400010,
    0x80000d,
    0x1000004,
    0x2000023,
    0x4000013,
    0x8000004,
    0x10000002,
    0x20000029,
    0x40000004,
    0x80000062,
    0x100001000,
    0x20000008c,
    0x400000002,
    0x800000400,
    0x1000000029,
    0x2000000031,
    0x4000000008,
    0x800000001c,
    0x10000000004,
    0x20000000052,
    0x40000000031,
    0x80000000032,
    0x10000000000d,
    0x2000000000e0,
    0x400000000010,
    0x800000000148,
    0x1000000000100,
    0x200000000000e,
    0x4000000000025,
    0x8000000000004,
    0x10000000000023,
};
static_assert(std::size(kTaps) == Lfsr::kMostBits - 1);

}  // namespace

std::uint64_t Lfsr::taps(unsigned bits) { return kTaps[bits - 2]; }

Lfsr::Lfsr(std::uint64_t n) : n_(n), left_(n) {
  const unsigned bits = std::max(2u, static_cast<unsigned>(std::bit_width(n - 1)));
  taps_ = taps(bits);
  mask_ = (1ull << bits) - 1;
}

void Lfsr::begin(std::uint64_t key) {
  left_ = n_;
  // 0 is the one state that leads nowhere.
  while ((state_ = base::splitmix64(key) & mask_) == 0) {
  }
}

}  // namespace fathom::pattern
