// How many different blocks of 4 KiB a trace touches, in at most 16 MiB. Up to 2^20 blocks the count is exact; then
// only blocks whose hash begins with k zero bits are kept, and counted 2^k times. Error: about 0.15 % (one standard
// deviation). Source: adaptive sampling, Flajolet, "On adaptive sampling", Computing 43 (1990). Thread rule: one owner.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fathom::trace::sums {

class Footprint {
 public:
  static constexpr std::uint64_t kBlock_bytes = 4096;
  static constexpr std::uint64_t kLargest_bytes = std::uint64_t{64} << 20;  // a larger I/O is not counted

  // False: not counted, because it is larger than kLargest_bytes.
  bool add(std::uint32_t file, std::uint64_t offset_bytes, std::uint64_t length_bytes);
  std::uint64_t bytes() const { return (static_cast<std::uint64_t>(count_) << zero_bits_) * kBlock_bytes; }
  bool is_exact() const { return zero_bits_ == 0; }

 private:
  void insert(std::uint64_t hash);
  void rebuild(std::size_t slots);

  static constexpr std::size_t kMost = std::size_t{1} << 20;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(std::size_t{1} << 12);  // 0: free
  std::size_t count_ = 0;
  unsigned zero_bits_ = 0;
};

}  // namespace fathom::trace::sums
