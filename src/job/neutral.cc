// Two spellings are one value where both read as the same size or the same time.
#include "job/neutral.h"

#include <algorithm>

#include "base/parse.h"
#include "job/option.h"
#include "options/value.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

template <class Read>
bool read_the_same(std::string_view a, std::string_view b, Read read) {
  const auto first = read(a), second = read(b);
  return first.ok() && second.ok() && *first == *second;
}

bool same_value(std::string_view a, std::string_view b) {
  return a == b || read_the_same(a, b, [](std::string_view text) { return base::parse_bytes(text); }) ||
         read_the_same(a, b, [](std::string_view text) { return base::parse_duration_ns(text, kSecond); });
}

bool one_number(std::string_view text) {
  if (!text.empty() && text.back() == '%') text.remove_suffix(1);
  return base::parse_bytes(text).ok() || base::parse_duration_ns(text, kSecond).ok() || base::parse_double(text).ok();
}

template <class Test>
bool every_part(std::string_view list, std::string_view separators, Test test) {
  while (true) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    if (!test(base::trim(list.substr(0, end)))) return false;
    if (end == list.size()) return true;
    list.remove_prefix(end + 1);
  }
}

bool is_one_of(std::string_view values, std::string_view value) {
  for (const auto word : split(values, ' '))
    if (!word.empty() && (word == "#" ? is_number(value) : same_value(word, value))) return true;
  return false;
}

}  // namespace

bool is_number(std::string_view value) { return every_part(value, ",:", one_number); }

bool is_neutral(std::string_view values, std::string_view value) {
  return every_part(value, ",", [&](std::string_view part) { return is_one_of(values, part); });
}

}  // namespace fathom::job
