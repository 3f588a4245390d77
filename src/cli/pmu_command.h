// `fathom pmu`: hardware and kernel counters. One file an action (pmu_NAME.cc); the table is in pmu_command.cc.
#pragma once
#include <span>
#include <string>

namespace fathom::cli {

int pmu_command(std::span<const std::string> args);

}  // namespace fathom::cli
