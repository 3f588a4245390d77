// `fathom clock ...`.
#pragma once
#include <span>
#include <string>

namespace fathom::cli {

int clock_command(std::span<const std::string> args);

}  // namespace fathom::cli
