// Typed makers of option rows: `count<&Job::iodepth>({...}, 1, kMaxU32)` is a whole option. The member's type must fit
// the row's; a wrong pairing does not compile.
#pragma once
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "job/value.h"

namespace fathom::job {

template <class M>
struct MemberOf;
template <class C, class T>
struct MemberOf<T C::*> {
  using Owner = C;
  using Value = T;
};

// The member of the draft, of its job or of the job's engine options.
template <auto Member>
auto& member(Draft& draft) {
  using Owner = typename MemberOf<decltype(Member)>::Owner;
  if constexpr (std::is_same_v<Owner, Draft>)
    return draft.*Member;
  else if constexpr (std::is_same_v<Owner, Job>)
    return draft.job.*Member;
  else
    return draft.job.engine.*Member;
}
template <auto Member>
using ValueOf = typename MemberOf<decltype(Member)>::Value;

namespace apply {

template <auto Member>
Outcome number(Draft& draft, const Option& option, std::string_view text) {
  std::uint64_t value = 0;
  if (auto problem = read_number(draft, option, text, value)) return problem;
  member<Member>(draft) = static_cast<ValueOf<Member>>(value);
  return {};
}

template <auto Member>
Outcome number_per_direction(Draft& draft, const Option& option, std::string_view text) {
  auto values = member<Member>(draft);
  auto problem = for_each_direction(text, [&](std::size_t d, std::string_view part) -> Outcome {
    std::uint64_t value = 0;
    if (auto p = read_number(draft, option, part, value)) return p;
    values[d] = static_cast<typename ValueOf<Member>::value_type>(value);
    return {};
  });
  if (!problem) member<Member>(draft) = values;
  return problem;
}

// "0" or "1"; an empty text is a bare key (only flags may stand without a value).
template <auto Member, bool Inverse>
Outcome truth(Draft& draft, const Option& option, std::string_view text) {
  if (text != "0" && text != "1" && !(text.empty() && option.bare()))
    return Problem{"not 0 or 1", fmt::format("`{}` is on (1) or off (0)", option.name()),
                   fmt::format("write `{}=1`{}", option.name(), option.bare() ? ", or the name alone" : ""), text,
                   base::ErrorKind::usage};
  member<Member>(draft) = (text != "0") != Inverse;
  return {};
}

template <auto Member>
Outcome choice(Draft& draft, const Option& option, std::string_view text) {
  int value = 0;
  if (auto problem = read_choice(option, text, value)) return problem;
  member<Member>(draft) = static_cast<ValueOf<Member>>(value);
  return {};
}

template <auto Member>
Outcome text(Draft& draft, const Option&, std::string_view value) {
  member<Member>(draft) = std::string(value);
  return {};
}

template <auto Member>
Outcome size_or_percent(Draft& draft, const Option& option, std::string_view value) {
  return read_size_or_percent(draft, option, value, member<Member>(draft));
}

}  // namespace apply

template <auto Member>
constexpr Option count(Words words, std::uint64_t min, std::uint64_t max) {
  static_assert(std::is_integral_v<ValueOf<Member>>);
  return {words, Type::count, min, max, 0, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Option count_per_direction(Words words, std::uint64_t min, std::uint64_t max) {
  return {words, Type::count, min, max, 0, true, {}, &apply::number_per_direction<Member>};
}
template <auto Member>
constexpr Option bytes(Words words, std::uint64_t min, std::uint64_t max) {
  static_assert(std::is_same_v<ValueOf<Member>, std::uint64_t>);
  return {words, Type::bytes, min, max, 0, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Option bytes_per_direction(Words words, std::uint64_t min, std::uint64_t max) {
  return {words, Type::bytes, min, max, 0, true, {}, &apply::number_per_direction<Member>};
}
template <auto Member>
constexpr Option bytes_or_percent(Words words) {
  static_assert(std::is_same_v<ValueOf<Member>, SizeOrPercent>);
  return {words, Type::bytes_or_percent, 0, kMaxU64, 0, false, {}, &apply::size_or_percent<Member>};
}
template <auto Member>
constexpr Option duration(Words words, std::uint64_t bare_unit_ns) {
  static_assert(std::is_same_v<ValueOf<Member>, std::uint64_t>);
  return {words, Type::duration, 0, kMaxU64, bare_unit_ns, false, {}, &apply::number<Member>};
}
template <auto Member>
constexpr Option boolean(Words words) {
  static_assert(std::is_same_v<ValueOf<Member>, bool>);
  return {words, Type::boolean, 0, 1, 0, false, {}, &apply::truth<Member, false>};
}
template <auto Member>
constexpr Option boolean_inverse(Words words) {
  static_assert(std::is_same_v<ValueOf<Member>, bool>);
  return {words, Type::boolean, 0, 1, 0, false, {}, &apply::truth<Member, true>};
}
// A flag may stand without a value.
template <auto Member>
constexpr Option flag(Words words) {
  static_assert(std::is_same_v<ValueOf<Member>, bool>);
  return {words, Type::flag, 0, 1, 0, false, {}, &apply::truth<Member, false>};
}
template <auto Member>
constexpr Option choice(Words words, std::span<const Choice> choices) {
  return {words, Type::choice, 0, 0, 0, false, choices, &apply::choice<Member>};
}
template <auto Member>
constexpr Option text(Words words) {
  static_assert(std::is_same_v<ValueOf<Member>, std::string>);
  return {words, Type::text, 0, 0, 0, false, {}, &apply::text<Member>};
}
// An option with a reader of its own.
constexpr Option special(Words words, Type type, Apply reader, std::uint64_t min = 0, std::uint64_t max = 0,
                         std::uint64_t time_unit_ns = 0, bool per_direction = false,
                         std::span<const Choice> choices = {}) {
  return {words, type, min, max, time_unit_ns, per_direction, choices, reader};
}

}  // namespace fathom::job
