// Engine name -> its loop. One unit an engine, one row in table.cc.
#pragma once
#include <string_view>

#include "run/context.h"

namespace fathom::loops {

run::LoopFunction find_loop(std::string_view engine);  // nullptr: no such engine

base::Expected<void> null_loop(run::LoopContext&);
base::Expected<void> syscall_loop(run::LoopContext&);  // sync, psync, pvsync2, mmap
base::Expected<void> libaio_loop(run::LoopContext&);
base::Expected<void> io_uring_loop(run::LoopContext&);
base::Expected<void> sim_loop(run::LoopContext&);

}  // namespace fathom::loops
