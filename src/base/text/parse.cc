// Strict number reading. The text after the number must be a known unit. fio takes `4x` as 4 bytes. A benchmark that
// silently does something else is worse than one that refuses. Arithmetic is exact in 128 bits, so 1.5g is 1610612736,
// and 16e is "too large" instead of a wrapped number.
#include "base/text/parse.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace fathom::base::text {
namespace {

using Wide = unsigned __int128;
constexpr Wide kMax64 = ~std::uint64_t{0};

Error cause(std::string text) {
  Error e;
  e.what = std::move(text);
  return e;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex_digit(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A number without its unit: whole + fraction / fraction_scale.
struct SplitNumber {
  std::uint64_t whole = 0, fraction = 0, fraction_scale = 1;
  std::string_view suffix;
};

Expected<std::uint64_t> digits_of(std::string_view text, int base) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (ec == std::errc::result_out_of_range) return cause("too large: it does not fit in 64 bits");
  if (ec != std::errc() || end != text.data() + text.size()) return cause("not a number");
  return value;
}

Expected<SplitNumber> split_number(std::string_view text) {
  text = trim(text);
  if (text.empty()) return cause("empty");
  if (text.front() == '-') return cause("negative");
  SplitNumber d;
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && is_hex_digit(text[2]);
  std::size_t at = hex ? 2 : 0;
  const std::size_t first = at;
  while (at < text.size() && (hex ? is_hex_digit(text[at]) : is_digit(text[at]))) ++at;
  if (at == first) return cause("not a number");
  auto whole = digits_of(text.substr(first, at - first), hex ? 16 : 10);
  if (!whole) return whole.error();
  d.whole = *whole;
  if (!hex && at < text.size() && text[at] == '.') {
    const std::size_t dot = at++;
    while (at < text.size() && is_digit(text[at])) {
      if (at - dot <= 18) {
        d.fraction = d.fraction * 10 + static_cast<unsigned>(text[at] - '0');
        d.fraction_scale *= 10;
      }
      ++at;
    }
    if (at == dot + 1) return cause("no digit after the point");
  }
  d.suffix = trim(text.substr(at));
  return d;
}

Expected<std::uint64_t> scaled(const SplitNumber& d, Wide unit) {
  if (unit > kMax64) return cause("too large: it does not fit in 64 bits");
  const Wide whole = static_cast<Wide>(d.whole) * unit;
  const Wide total = whole + static_cast<Wide>(d.fraction) * unit / d.fraction_scale;
  if (whole / unit != d.whole || total > kMax64) return cause("too large: it does not fit in 64 bits");
  return static_cast<std::uint64_t>(total);
}

struct ByteUnit {
  std::string_view letter;
  unsigned power;
};
constexpr ByteUnit kByteLetters[] = {{"k", 1}, {"m", 2}, {"g", 3}, {"t", 4}, {"p", 5}, {"e", 6}};

Expected<Wide> byte_unit(std::string_view suffix, unsigned kb_base) {
  const std::string s = to_lower(suffix);
  if (s.empty() || s == "b") return Wide{1};
  for (const auto& u : kByteLetters) {
    if (s.front() != u.letter.front()) continue;
    const std::string_view rest = std::string_view(s).substr(1);
    if (!(rest.empty() || rest == "b" || rest == "i" || rest == "ib")) break;
    const unsigned base = rest == "ib" ? (kb_base == 1024 ? 1000 : 1024) : kb_base;
    Wide unit = 1;
    for (unsigned i = 0; i < u.power; ++i) unit *= base;
    return unit;
  }
  return cause("`" + std::string(suffix) + "` is not a unit of size");
}

struct TimeUnit {
  std::string_view name;
  std::uint64_t ns;
};
constexpr TimeUnit kTimeNames[] = {
    {"ns", 1},
    {"nsec", 1},
    {"us", 1'000},
    {"usec", 1'000},
    {"ms", 1'000'000},
    {"msec", 1'000'000},
    {"s", 1'000'000'000},
    {"sec", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
    {"d", 86'400'000'000'000},
};

Expected<std::uint64_t> colon_time(std::string_view text) {
  std::uint64_t seconds = 0;
  unsigned fields = 0;
  while (true) {
    const std::size_t colon = text.find(':');
    auto field = digits_of(text.substr(0, colon), 10);
    if (!field) return cause("not a time of the form h:m:s or m:s");
    if (fields > 0 && *field > 59) return cause("minutes and seconds after a `:` are at most 59");
    if (*field > 1'000'000'000) return cause("too large: it does not fit in 64 bits");
    seconds = seconds * 60 + *field;
    ++fields;
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (fields > 3) return cause("not a time of the form h:m:s or m:s");
  return scaled({seconds, 0, 1, {}}, 1'000'000'000);
}

}  // namespace

Expected<std::uint64_t> parse_bytes(std::string_view text, unsigned kb_base) {
  auto d = split_number(text);
  if (!d) return d.error();
  auto unit = byte_unit(d->suffix, kb_base);
  if (!unit) return unit.error();
  return scaled(*d, *unit);
}

Expected<std::uint64_t> parse_duration_ns(std::string_view text, std::uint64_t default_unit_ns) {
  text = trim(text);
  if (text.find(':') != std::string_view::npos) return colon_time(text);
  auto d = split_number(text);
  if (!d) return d.error();
  if (d->suffix.empty()) return scaled(*d, default_unit_ns);
  const std::string suffix = to_lower(d->suffix);
  for (const auto& u : kTimeNames)
    if (suffix == u.name) return scaled(*d, u.ns);
  return cause("`" + std::string(d->suffix) + "` is not a unit of time");
}

Expected<std::int64_t> parse_int(std::string_view text) {
  text = trim(text);
  if (text.empty()) return cause("empty");
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  auto magnitude = digits_of(hex ? text.substr(2) : text, hex ? 16 : 10);
  if (!magnitude) return magnitude.error();
  const std::uint64_t limit = static_cast<std::uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (*magnitude > limit) return cause("too large: it does not fit in 64 bits");
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

Expected<double> parse_double(std::string_view text) {
  text = trim(text);
  if (text.empty()) return cause("empty");
  double value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec == std::errc::result_out_of_range) return cause("too large or too small for a number");
  if (ec != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return cause("not a number");
  return value;
}

Expected<double> parse_percent(std::string_view text) {
  text = trim(text);
  if (text.empty() || text.back() != '%') return cause("not a percentage: it does not end in `%`");
  return parse_double(text.substr(0, text.size() - 1));
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string to_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// Optimal string alignment. The rows of the last two letters are kept, to detect swapped neighbors.
unsigned edit_distance(std::string_view a, std::string_view b) {
  std::vector<unsigned> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace fathom::base::text
