// Two spellings are the same value if both read as the same size or the same time.
#include "job/values/neutral.h"

#include <algorithm>

#include "base/text/parse.h"

namespace fathom::job::values {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

template <class Read>
bool read_the_same(std::string_view a, std::string_view b, Read read) {
  const auto first = read(a), second = read(b);
  return first.ok() && second.ok() && *first == *second;
}

bool same_value(std::string_view a, std::string_view b) {
  return a == b || read_the_same(a, b, [](std::string_view text) { return base::text::parse_bytes(text); }) ||
         read_the_same(a, b, [](std::string_view text) { return base::text::parse_duration_ns(text, kSecond); });
}

bool one_number(std::string_view text) {
  if (!text.empty() && text.back() == '%') text.remove_suffix(1);
  return base::text::parse_bytes(text).ok() || base::text::parse_duration_ns(text, kSecond).ok() ||
         base::text::parse_double(text).ok();
}

template <class Test>
bool every_part(std::string_view list, std::string_view separators, Test test) {
  while (true) {
    const std::size_t end = std::min(list.find_first_of(separators), list.size());
    if (!test(base::text::trim(list.substr(0, end)))) return false;
    if (end == list.size()) return true;
    list.remove_prefix(end + 1);
  }
}

// A number with or without a unit, or a list of such numbers.
bool is_number(std::string_view value) { return every_part(value, ",:", one_number); }

bool is_one_of(std::string_view values, std::string_view value) {
  for (const auto word : items_in(values))
    if (word == "#" ? is_number(value) : same_value(word, value)) return true;
  return false;
}

// Options without effect in the jobs for which `holds` is true. `text` describes the values.
struct Moot {
  std::string_view options;
  bool (*holds)(const Job&, std::string_view value);
  std::string_view text;
};

bool no_verify(const Job& job, std::string_view value) { return !job.verify && is_number(value); }

constexpr Moot kMoot[] = {
    {"verify_async verify_backlog verify_dump verify_header_seed verify_state_save verify_write_sequence", no_verify,
     "any number where the job does not verify"},
};

const Moot* moot_of(const Row& option) {
  const auto is_of = [&](const Moot& moot) { return has_item(moot.options, option.name()); };
  const auto* found = std::find_if(std::begin(kMoot), std::end(kMoot), is_of);
  return found == std::end(kMoot) ? nullptr : found;
}

}  // namespace

bool is_neutral(std::string_view values, std::string_view value) {
  return every_part(value, ",", [&](std::string_view part) { return is_one_of(values, part); });
}

bool changes_nothing(const Row& option, std::string_view value, const Job* job) {
  if (is_neutral(option.texts.neutral, value)) return true;
  const Moot* moot = moot_of(option);
  return moot != nullptr && (job == nullptr || moot->holds(*job, value));
}

std::string neutral_text(const Row& option) {
  std::string out;
  const auto add = [&](std::string_view text) { out.append(out.empty() ? "" : ", ").append(text); };
  for (const auto word : items_in(option.texts.neutral))
    add(word == "#" ? "any number" : "`" + std::string(word) + "`");
  if (const Moot* moot = moot_of(option)) add(moot->text);
  return out;
}

}  // namespace fathom::job::values
