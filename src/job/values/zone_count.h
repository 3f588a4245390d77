// A size as a number of zones: `size=4z`. It becomes bytes when the size of a zone is known. Pure functions; any thread.
#pragma once
#include "job/option.h"

namespace fathom::job::values {

// True: the text is a number of zones. A Problem of the number is not detected here.
bool is_zone_count(std::string_view text);
Outcome read_zone_count(const Value& value, std::uint64_t& zones);

// The number is kept in Zones. Until it is known how large a zone is, the size is one byte.
template <auto Member, auto Zones>
Outcome size_or_zones(const Targets& targets, const Value& value) {
  auto& zones = options::member<Zones>(targets);
  zones = 0;
  if (!is_zone_count(value.text)) return options::apply::size_or_percent<Member>(targets, value);
  if (auto problem = read_zone_count(value, zones)) return problem;
  options::member<Member>(targets) = {1, 0, true};
  return {};
}

// The member is a SizeOrPercent.
template <auto Member, auto Zones>
constexpr Row size_in_zones(options::Texts texts) {
  return {texts, Type::bytes_or_percent, 0, options::kMaxU64, 0, false, {}, &size_or_zones<Member, Zones>};
}

}  // namespace fathom::job::values
