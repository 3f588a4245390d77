// Parses lists in one walk over the parts between commas. A mask is read from its last digit on.
#include "base/system/cpu_list.h"

#include <algorithm>
#include <cstdint>

#include "base/text/parse.h"

namespace fathom::base::system {
namespace {

constexpr std::size_t kMostNumbers = 2 * static_cast<std::size_t>(kMostCpu);

// Returns why the part is not a range; empty: it is one.
std::string read_range(std::string_view part, CpuRange& range) {
  const std::size_t dash = part.find('-', 1);  // a dash at the beginning is a sign
  const auto low = text::parse_int(part.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : text::parse_int(part.substr(dash + 1));
  if (!low || !high) return low ? high.error().what : low.error().what;
  if (*low < 0 || *high > kMostCpu) return "a CPU number must be between 0 and " + std::to_string(kMostCpu);
  if (*low > *high) return "the range is in descending order";
  range = {static_cast<int>(*low), static_cast<int>(*high)};
  return {};
}

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

void add(CpuList& list, int cpu) {
  if (!list.ranges.empty() && list.ranges.back().last == cpu - 1)
    list.ranges.back().last = cpu;
  else
    list.ranges.push_back({cpu, cpu});
}

template <class T>
std::string text_of(std::span<const T> cpus) {
  std::string out;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    out += (out.empty() ? "" : ",") + std::to_string(cpus[i]);
    if (end > i + 1) out += "-" + std::to_string(cpus[end - 1]);
    i = end;
  }
  return out;
}

}  // namespace

std::vector<int> CpuList::written() const {
  std::vector<int> cpus;
  for (const auto& range : ranges)
    for (int cpu = range.first; cpu <= range.last; ++cpu) cpus.push_back(cpu);
  return cpus;
}

std::vector<int> CpuList::sorted() const {
  auto cpus = written();
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

CpuList parse_cpu_list(std::string_view text) {
  CpuList list;
  std::size_t numbers = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = rest.find(',');
    const auto part = rest.substr(0, comma);
    CpuRange range;
    list.cause = read_range(part, range);
    if (list.cause.empty()) numbers += static_cast<std::size_t>(range.last - range.first) + 1;
    if (numbers > kMostNumbers) list.cause = "too many CPUs";
    if (!list.cause.empty()) {
      list.wrong = part;
      return list;
    }
    list.ranges.push_back(range);
    if (comma == std::string_view::npos) return list;
    rest.remove_prefix(comma + 1);
  }
}

CpuList parse_cpu_mask(std::string_view text) {
  CpuList list;
  list.wrong = text;
  const auto digits = text::trim(text.substr(text.starts_with("0x") ? 2 : 0));
  int cpu = 0;
  for (std::size_t i = digits.size(); i-- > 0; cpu += 4) {
    const int digit = digit_of(digits[i]);
    if (digit < 0) list.cause = "not a hexadecimal number";
    if (digit > 0 && cpu + 3 > kMostCpu) list.cause = "a CPU number must be between 0 and " + std::to_string(kMostCpu);
    if (!list.ok()) return list;
    for (int bit = 0; bit < 4; ++bit)
      if ((digit >> bit & 1) != 0) add(list, cpu + bit);
  }
  if (list.ranges.empty()) list.cause = "the mask contains no CPU";
  return list;
}

std::string cpu_list_text(std::span<const int> cpus) { return text_of(cpus); }
std::string cpu_list_text(std::span<const unsigned> cpus) { return text_of(cpus); }

}  // namespace fathom::base::system
