// The options of the program itself, a row each.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "job/command.h"
#include "job/source.h"

namespace fathom::job {

enum class Takes : std::uint8_t { nothing, value, optional_value };

struct Switch {
  std::string_view name;
  Takes takes;
  Outcome (*apply)(Command&, std::string_view value);  // nullptr: fio has it, fathom not yet
  std::string_view help;
};

std::span<const Switch> switches();

}  // namespace fathom::job
