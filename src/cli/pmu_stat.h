// `fathom pmu stat`: counts events while a command runs.
#pragma once
#include <span>
#include <string>

namespace fathom::cli {

int pmu_stat(std::span<const std::string> args);

}  // namespace fathom::cli
