// Lists of CPUs and of NUMA nodes as users and the kernel write them, `0-3,8` (cpuset(7), "List format"), and masks in
// hexadecimal (DPDK's and SPDK's `-c 0xff`); also the conversion back to text. The result keeps the order and the
// positions in the text: one caller divides jobs among the CPUs in that order, another points at the invalid part. The
// error text is a short cause only; the caller knows the option. Pure.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::base::system {

inline constexpr int kMostCpu = 65535;  // a larger number is a typing error; Linux supports up to 8192 CPUs

struct CpuRange {
  int first = 0, last = 0;  // inclusive
};

struct CpuList {
  std::vector<CpuRange> ranges;  // in the order written, as far as they could be read
  std::string_view wrong;        // the part of the text that could not
  std::string cause;             // why; empty: all of it was read

  bool ok() const { return cause.empty(); }
  std::vector<int> written() const;  // every number, in the order written, as often as written
  std::vector<int> sorted() const;   // rising, each once
};

// "0-3,8". Invalid: the empty text, a number above kMostCpu, a descending range, more than twice as many numbers as
// there can be CPUs.
CpuList parse_cpu_list(std::string_view text);

// "0x3", "ff": bit n is CPU n; any length up to kMostCpu. Invalid: an invalid digit, no bit set.
CpuList parse_cpu_mask(std::string_view text);

// Content of a kernel file: rising, each once; empty if it is no such list.
inline std::vector<int> kernel_cpu_list(std::string_view text) {
  const CpuList list = parse_cpu_list(text);
  return list.ok() ? list.sorted() : std::vector<int>();
}

// {0, 1, 2, 3, 8} -> "0-3,8". Consecutive numbers become a range.
std::string cpu_list_text(std::span<const int> cpus);
std::string cpu_list_text(std::span<const unsigned> cpus);

}  // namespace fathom::base::system
