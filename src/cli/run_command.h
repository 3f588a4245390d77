// `fathom run` and fio mode: the main job, from command line to report.
#pragma once
#include <span>
#include <string>

namespace fathom::cli {

int run_command(std::span<const std::string> args, bool fio_mode);

}  // namespace fathom::cli
