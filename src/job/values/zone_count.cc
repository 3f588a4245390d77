// Reads `4z`.
#include "job/values/zone_count.h"

#include "base/text/parse.h"

namespace fathom::job::values {

bool is_zone_count(std::string_view text) {
  return text.size() > 1 && (text.back() | 0x20) == 'z' && text.front() >= '0' && text.front() <= '9';
}

Outcome read_zone_count(const Value& value, std::uint64_t& zones) {
  const auto number = value.text.substr(0, value.text.size() - 1);
  const auto read = base::text::parse_int(number);
  if (!read || *read < 0)
    return wrong("not a number of zones", read ? "negative" : read.error().what,
                 "write a whole number of zones: `" + value.with("4z") + "`", value.text);
  zones = static_cast<std::uint64_t>(*read);
  return {};
}

}  // namespace fathom::job::values
