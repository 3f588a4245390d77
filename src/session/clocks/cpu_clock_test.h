// fio's --cpuclock-test: the rate of the CPU clock, and the cross-core test of all CPUs that this process may use.
// Reports each finding at once.
#pragma once
#include <functional>
#include <string>

#include "base/error.h"

namespace fathom::session::clocks {

// on_text: lines in fio's words, each complete. True: the clocks of the CPUs agree.
base::Expected<bool> test_cpu_clock(const std::function<void(const std::string&)>& on_text);

}  // namespace fathom::session::clocks
