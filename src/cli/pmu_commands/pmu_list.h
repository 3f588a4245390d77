// `fathom pmu list`: PMUs, events and root ports of this machine.
#pragma once
#include <span>
#include <string>

namespace fathom::cli::pmu_commands {

int pmu_list(std::span<const std::string> args);

}  // namespace fathom::cli::pmu_commands
