// The status line of a running job, in fio's form: `Jobs: 1 (f=1): [r(1)][42.0%][r=128MiB/s][r=32.8k IOPS][eta
// 00m:12s]`. Pure: the caller prints it.
#pragma once
#include <string>

#include "run/files/layout.h"
#include "run/runner.h"

namespace fathom::live {

std::string status_line(const run::Progress& p);
// The same without rates, where lines below show them.
std::string status_line_without_rates(const run::Progress& p);
// "RRRw" -> "R(3),w(1)", as fio condenses it.
std::string condense_states(const std::string& states);
std::string layout_line(const run::files::LayoutProgress& p);

}  // namespace fathom::live
