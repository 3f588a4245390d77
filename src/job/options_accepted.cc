// Options that scripts write with the value that changes nothing (--experimental_verify=0), and some that
// may be ignored without a number becoming wrong. Any other value is a feature that is not built yet.
#include "job/neutral.h"
#include "job/option.h"

namespace fathom::job {
namespace {

Outcome only_these(const Targets&, const Value& value) {
  const auto& choices = value.row.choices;
  for (const auto& c : choices)
    if (is_neutral(c.name, value.text)) return {};
  const std::string_view asked = value.text.empty() && value.row.bare() ? "1" : value.text;
  std::string values;
  for (const auto& c : choices) values += (values.empty() ? "`" : ", `") + std::string(c.name) + "`";
  return wrong(fmt::format("fio's `{}` is not built in fathom yet", value.with(asked)),
               fmt::format("fathom has {} only", value.with(choices.front().name)),
               "leave it out, or write one of " + values, value.text, base::ErrorKind::not_built);
}

constexpr Row only_of(Words words, Type type, std::string_view note, std::span<const Choice> choices) {
  words.status = Status::partial;
  if (words.note.empty()) words.note = note;
  return special<only_these>(words, type, 0, 0, 0, false, choices);
}
constexpr Row only(Words words, std::span<const Choice> choices) {
  return only_of(words, Type::choice, "the value that changes nothing only", choices);
}

constexpr Choice kZero[] = {{"0", 0, "off"}};

constexpr Row kRows[] = {
    // Verification
    only({"experimental_verify", "0", "Verify by replaying the writes"}, kZero),
};

}  // namespace

std::span<const Row> accepted_options() { return kRows; }

}  // namespace fathom::job
