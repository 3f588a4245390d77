// --showcmd: a job file as a command line.
#pragma once
#include <string>
#include <vector>

#include "job/section.h"

namespace fathom::job {

// `wanted` as --section; empty: all jobs.
std::string show_command(const std::vector<Section>& sections, const std::vector<std::string>& wanted);

}  // namespace fathom::job
