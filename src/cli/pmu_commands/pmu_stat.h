// `fathom pmu stat`: counts events while a command runs.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::pmu_commands {

int pmu_stat(std::span<const std::string> args);

}  // namespace fathom::cli::pmu_commands
