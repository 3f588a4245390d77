// The condition that --settle waits for, as a line: `settling: CPUs 43.2 % busy (waiting for 5 or less), vda 120 I/O/s
// (waiting for 5 or less); 1.5 s of quiet needed, gives up in 57 s`. Pure: the caller prints it.
#pragma once
#include <string>

#include "host/settle.h"

namespace fathom::live {

std::string settle_line(const host::SettleProgress& p);

}  // namespace fathom::live
