// Typed makers of option rows.
// `count<&Job::iodepth>({"iodepth", "1", "I/Os kept in flight"}, 1, kMaxU32)` is a complete option.
// The member's type must fit the row's type; a wrong pairing does not compile.
// Thread rule: pure functions; any thread. A reader returns a Problem for a value that it rejects (source.h).
#pragma once
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "options/value.h"

namespace fathom::options {

template <class M>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Owner = C;
  using Type = T;
};
template <auto Member>
using TypeOf = typename MemberOf<decltype(Member)>::Type;

template <auto Member>
TypeOf<Member>& member(const Targets& targets) {
  return targets.get<typename MemberOf<decltype(Member)>::Owner>().*Member;
}

namespace apply {

inline Outcome gone(const Targets&, const Value& value) {
  return wrong("this option was removed", std::string(value.row.texts.help), "omit it", value.text);
}

template <auto Member>
Outcome number(const Targets& targets, const Value& value) {
  std::uint64_t read = 0;
  if (auto problem = read_number(value, read)) return problem;
  member<Member>(targets) = static_cast<TypeOf<Member>>(read);
  return {};
}

template <auto Member>
Outcome number_per_direction(const Targets& targets, const Value& value) {
  auto values = member<Member>(targets);
  static_assert(std::tuple_size_v<decltype(values)> == kDirections);
  auto problem = for_each_direction(value.text, [&](std::size_t d, std::string_view part) -> Outcome {
    std::uint64_t read = 0;
    if (auto p = read_number(value.part(part), read)) return p;
    values[d] = static_cast<typename TypeOf<Member>::value_type>(read);
    return {};
  });
  if (!problem) member<Member>(targets) = values;
  return problem;
}

// "0" or "1". An empty text is an option without a value, which only flags permit.
template <auto Member, bool Inverse>
Outcome truth(const Targets& targets, const Value& value) {
  const Row& row = value.row;
  if (value.text != "0" && value.text != "1" && !(value.text.empty() && row.bare()))
    return wrong("not 0 or 1", fmt::format("`{}` is on (1) or off (0)", value.name()),
                 fmt::format("write `{}`{}", value.with("1"), row.bare() ? ", or the name alone" : ""), value.text);
  member<Member>(targets) = (value.text != "0") != Inverse;
  return {};
}

template <auto Member>
Outcome choice(const Targets& targets, const Value& value) {
  int read = 0;
  if (auto problem = read_choice(value, read)) return problem;
  member<Member>(targets) = static_cast<TypeOf<Member>>(read);
  return {};
}

template <auto Member>
Outcome text(const Targets& targets, const Value& value) {
  member<Member>(targets) = std::string(value.text);
  return {};
}

template <auto Member>
Outcome append(const Targets& targets, const Value& value) {
  member<Member>(targets).emplace_back(value.text);
  return {};
}

template <auto Member>
Outcome size_or_percent(const Targets& targets, const Value& value) {
  std::uint64_t bytes = 0;
  double percent = 0;
  auto problem = read_size_or_percent(value, bytes, percent);
  if (!problem) member<Member>(targets) = {bytes, percent, true};
  return problem;
}

template <auto Member>
Outcome real(const Targets& targets, const Value& value) {
  double read = 0;
  const auto bound = [](std::uint64_t limit) { return static_cast<double>(static_cast<std::int64_t>(limit)); };
  if (auto problem = read_real(value, bound(value.row.min), bound(value.row.max), read)) return problem;
  member<Member>(targets) = read;
  return {};
}

// "50" or "50%", from 0 to 100. It must be whole if the member is an integer.
template <auto Member>
Outcome percent(const Targets& targets, const Value& value) {
  double read = 0;
  const auto number = value.text.ends_with('%') ? value.text.substr(0, value.text.size() - 1) : value.text;
  if (auto problem = read_real(value.part(number), 0, 100, read)) return problem;
  if (std::is_integral_v<TypeOf<Member>> && read != static_cast<double>(static_cast<int>(read)))
    return wrong("not a whole number", "", "write a percentage from 0 to 100", value.text);
  member<Member>(targets) = static_cast<TypeOf<Member>>(read);
  return {};
}

template <auto Member>
Outcome positive(const Targets& targets, const Value& value) {
  return read_positive(value, member<Member>(targets));
}

template <auto Member, std::uint64_t Unit_ns>
Outcome time_in(const Targets& targets, const Value& value) {
  std::uint64_t ns = 0;
  if (auto problem = read_number(value, ns)) return problem;
  member<Member>(targets) = static_cast<double>(ns) / static_cast<double>(Unit_ns);
  return {};
}

template <auto Member>
Outcome numbers(const Targets& targets, const Value& value) {
  return read_numbers(value, member<Member>(targets));
}

template <class T>
struct ReaderOf;
template <class T>
struct ReaderOf<Outcome (*)(T&, const Value&)> {
  using Target = T;
};
template <auto Read>
Outcome special(const Targets& targets, const Value& value) {
  using Target = typename ReaderOf<decltype(Read)>::Target;
  if constexpr (std::is_same_v<Target, const Targets>)
    return Read(targets, value);
  else
    return Read(targets.get<Target>(), value);
}

}  // namespace apply

template <auto Member>
constexpr Row count(Texts texts, std::uint64_t min, std::uint64_t max) {
  static_assert(std::is_integral_v<TypeOf<Member>>);
  return {texts, Type::count, min, max, 0, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Row count_per_direction(Texts texts, std::uint64_t min, std::uint64_t max) {
  return {texts, Type::count, min, max, 0, true, {}, &apply::number_per_direction<Member>};
}
template <auto Member>
constexpr Row bytes(Texts texts, std::uint64_t min, std::uint64_t max) {
  static_assert(std::is_same_v<TypeOf<Member>, std::uint64_t>);
  return {texts, Type::bytes, min, max, 0, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Row bytes_per_direction(Texts texts, std::uint64_t min, std::uint64_t max) {
  return {texts, Type::bytes, min, max, 0, true, {}, &apply::number_per_direction<Member>};
}
// The member is {bytes, percent, true if the option was given}.
template <auto Member>
constexpr Row bytes_or_percent(Texts texts) {
  return {texts, Type::bytes_or_percent, 0, kMaxU64, 0, false, {}, &apply::size_or_percent<Member>};
}
template <auto Member>
constexpr Row duration(Texts texts, std::uint64_t bare_unit_ns, std::uint64_t min_ns = 0,
                       std::uint64_t max_ns = kMaxU64) {
  static_assert(std::is_same_v<TypeOf<Member>, std::uint64_t>);
  return {texts, Type::duration, min_ns, max_ns, bare_unit_ns, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Row boolean(Texts texts) {
  static_assert(std::is_same_v<TypeOf<Member>, bool>);
  return {texts, Type::boolean, 0, 1, 0, false, {}, &apply::truth<Member, false>};
}
template <auto Member>
constexpr Row boolean_inverse(Texts texts) {
  static_assert(std::is_same_v<TypeOf<Member>, bool>);
  return {texts, Type::boolean, 0, 1, 0, false, {}, &apply::truth<Member, true>};
}
// A flag may be written without a value. Inverse: it clears its member.
template <auto Member, bool Inverse = false>
constexpr Row flag(Texts texts) {
  static_assert(std::is_same_v<TypeOf<Member>, bool>);
  return {texts, Type::flag, 0, 1, 0, false, {}, &apply::truth<Member, Inverse>};
}
template <auto Member>
constexpr Row choice(Texts texts, std::span<const Choice> choices) {
  return {texts, Type::choice, 0, 0, 0, false, choices, &apply::choice<Member>};
}
template <auto Member>
constexpr Row text(Texts texts) {
  static_assert(std::is_assignable_v<TypeOf<Member>&, std::string>);
  return {texts, Type::text, 0, 0, 0, false, {}, &apply::text<Member>};
}
// The member keeps a fraction. The bounds are whole numbers.
template <auto Member>
constexpr Row real(Texts texts, std::int64_t min, std::int64_t max) {
  return {texts, Type::real,          static_cast<std::uint64_t>(min), static_cast<std::uint64_t>(max), 0, false,
          {},    &apply::real<Member>};
}
template <auto Member>
constexpr Row positive(Texts texts) {
  return {texts, Type::real, 0, 0, 0, false, {}, &apply::positive<Member>};
}
template <auto Member>
constexpr Row percent(Texts texts) {
  return {texts, Type::real, 0, 100, 0, false, {}, &apply::percent<Member>};
}
// A time that the member stores as a floating-point number of Unit_ns. A bare number counts seconds.
template <auto Member, std::uint64_t Unit_ns = 1'000'000'000>
constexpr Row time_in(Texts texts, std::uint64_t min_ns, std::uint64_t max_ns) {
  return {texts, Type::duration, min_ns, max_ns, 1'000'000'000, false, {}, &apply::time_in<Member, Unit_ns>};
}
// "0,2-5"
template <auto Member>
constexpr Row numbers(Texts texts) {
  return {texts, Type::list, 0, 0, 0, false, {}, &apply::numbers<Member>};
}
// An option of an older fathom, which is refused. `why`, the cause in the error, states what became of it.
constexpr Row gone(std::string_view names, std::string_view why) {
  Row row{{.names = names, .help = why, .status = Status::hidden}};
  row.may_stand_alone = true;
  row.apply = &apply::gone;
  return row;
}

inline bool is_gone(const Row& row) { return row.apply == &apply::gone; }

// Only the presence of the option counts, or the caller parses the text.
constexpr Row noted(Texts texts) {
  return {texts, texts.names.find('=') == std::string_view::npos ? Type::flag : Type::text};
}
// A repeatable option: the member is a list of texts.
template <auto Member>
constexpr Row append(Texts texts) {
  return {texts, Type::text, 0, 0, 0, false, {}, &apply::append<Member>};
}
// An option with a special reader: `Outcome read(Target&, const Value&)`. Target may be `const Targets`.
template <auto Read>
constexpr Row special(Texts texts, Type type, std::uint64_t min = 0, std::uint64_t max = 0,
                      std::uint64_t time_unit_ns = 0, bool per_direction = false,
                      std::span<const Choice> choices = {}) {
  return {texts, type, min, max, time_unit_ns, per_direction, choices, &apply::special<Read>};
}

}  // namespace fathom::options
