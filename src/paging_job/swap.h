// `--swap`: where pages go. This file reads only the form; pressure/ checks what is possible on this machine.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "paging/plan.h"

namespace fathom::paging_job {

// "zram:2G,file:/a,b:2G" -> "zram:2G", "file:/a,b:2G".
std::vector<std::string> split_swaps(const std::string& text);
// "zram:2G", "file:PATH:2G", "dev:/dev/x", "current", "none".
base::Expected<paging::SwapPlan> read_swap(const std::string& text);

}  // namespace fathom::paging_job
