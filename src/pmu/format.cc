// Reading sysfs' small languages. A text that is not understood gives nothing: whoever reads a driver's file leaves
// that term out, and whoever reads a user's text knows the place.
#include "pmu/format.h"

#include <algorithm>
#include <charconv>

#include "base/parse.h"

namespace fathom::pmu {
namespace {

constexpr std::string_view kWords[] = {"config", "config1", "config2", "config3"};
constexpr int kMostCpus = 1 << 16;

struct Range {
  int lo = 0, hi = 0;
};

std::optional<int> small_number(std::string_view text) {
  int value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || ec != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "3" or "0-7".
std::optional<Range> parse_range(std::string_view text) {
  text = base::trim(text);
  const std::size_t dash = text.find('-');
  const auto lo = small_number(text.substr(0, dash));
  const auto hi = dash == std::string_view::npos ? lo : small_number(text.substr(dash + 1));
  if (!lo || !hi || *hi < *lo) return std::nullopt;
  return Range{*lo, *hi};
}

// Nothing where one of them is no range.
std::optional<std::vector<Range>> parse_ranges(std::string_view text) {
  std::vector<Range> ranges;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto range = parse_range(text.substr(0, comma));
    if (!range) return std::nullopt;
    ranges.push_back(*range);
    if (comma == std::string_view::npos) return ranges;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

int Format::bits() const {
  int sum = 0;
  for (const auto& [lo, hi] : ranges) sum += hi - lo + 1;
  return sum;
}

std::optional<Format> parse_format(std::string_view text) {
  text = base::trim(text);
  const std::size_t colon = text.find(':');
  const auto word = std::find(std::begin(kWords), std::end(kWords), text.substr(0, colon));
  if (colon == std::string_view::npos || word == std::end(kWords)) return std::nullopt;
  const auto ranges = parse_ranges(text.substr(colon + 1));
  if (!ranges) return std::nullopt;
  Format format;
  format.word = static_cast<int>(word - std::begin(kWords));
  for (const auto& range : *ranges) {
    if (range.hi > 63) return std::nullopt;
    format.ranges.emplace_back(range.lo, range.hi);
  }
  if (format.bits() > 64) return std::nullopt;
  return format;
}

std::string text_of(const Format& format) {
  std::string text = format.word == 0 ? "config" : "config" + std::to_string(format.word);
  char before = ':';
  for (const auto& [low, high] : format.ranges) {
    text += before + std::to_string(low);
    if (high != low) text += "-" + std::to_string(high);
    before = ',';
  }
  return text;
}

bool place_bits(const Format& format, std::uint64_t value, std::span<std::uint64_t, 4> config) {
  const int bits = format.bits();
  if (bits < 64 && (value >> bits) != 0) return false;
  auto& word = config[static_cast<std::size_t>(format.word)];
  for (const auto& [lo, hi] : format.ranges) {
    const int wide = hi - lo + 1;
    const std::uint64_t mask = wide == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << wide) - 1;
    word = (word & ~(mask << lo)) | ((value & mask) << lo);
    value = wide == 64 ? 0 : value >> wide;
  }
  return true;
}

std::vector<int> parse_cpu_list(std::string_view text) {
  const auto ranges = parse_ranges(base::trim(text));
  std::vector<int> cpus;
  if (!ranges) return cpus;
  for (const auto& range : *ranges)
    for (int cpu = range.lo; cpu <= std::min(range.hi, kMostCpus); ++cpu) cpus.push_back(cpu);
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::vector<Term> split_terms(std::string_view text) {
  std::vector<Term> terms;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view term = base::trim(text.substr(0, comma));
    const std::size_t equals = term.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : term.substr(equals + 1);
    terms.push_back({base::trim(term.substr(0, equals)), base::trim(value)});
    if (comma == std::string_view::npos) return terms;
    text.remove_prefix(comma + 1);
  }
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const std::string_view digits = hex ? text.substr(2) : text;
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  if (digits.empty() || ec != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace fathom::pmu
