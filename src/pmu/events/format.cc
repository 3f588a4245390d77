// Reads the small languages of sysfs. A text that cannot be parsed gives nothing: a reader of a driver's file omits the
// term, and a reader of the user's text reports the position.
#include "pmu/events/format.h"

#include <algorithm>
#include <charconv>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"

namespace fathom::pmu::events {
namespace {

constexpr std::string_view kWords[] = {"config", "config1", "config2", "config3", "config4"};
static_assert(std::size(kWords) == kConfigWords);

}  // namespace

int Format::bits() const {
  int sum = 0;
  for (const auto& [lo, hi] : ranges) sum += hi - lo + 1;
  return sum;
}

std::optional<Format> parse_format(std::string_view text) {
  text = base::text::trim(text);
  const std::size_t colon = text.find(':');
  const auto word = std::find(std::begin(kWords), std::end(kWords), text.substr(0, colon));
  if (colon == std::string_view::npos || word == std::end(kWords)) return std::nullopt;
  const auto list = base::system::parse_cpu_list(text.substr(colon + 1));  // bits have the format of a CPU list
  if (!list.ok()) return std::nullopt;
  Format format;
  format.word = static_cast<int>(word - std::begin(kWords));
  for (const auto& range : list.ranges) {
    if (range.last > 63) return std::nullopt;
    format.ranges.emplace_back(range.first, range.last);
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

bool place_bits(const Format& format, std::uint64_t value, std::span<std::uint64_t, kConfigWords> config) {
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

std::vector<Term> split_terms(std::string_view text) {
  std::vector<Term> terms;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view term = base::text::trim(text.substr(0, comma));
    const std::size_t equals = term.find('=');
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : term.substr(equals + 1);
    terms.push_back({base::text::trim(term.substr(0, equals)), base::text::trim(value)});
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

}  // namespace fathom::pmu::events
