// Engine name -> its loop. One unit an engine, one row in table.cc.
#pragma once
#include <string_view>

#include "run/context.h"

namespace fathom::loops {

run::LoopFunction find_loop(std::string_view engine);  // nullptr: no such engine

// Whether the loop that a job asks for with its options is built and this CPU can run it: ErrorKind::usage, before
// anything is opened. (Only nvme is compiled in some combinations of its options and not in others.)
base::Expected<void> check_job(const job::Job& job);

base::Expected<void> null_loop(run::LoopContext&);
base::Expected<void> syscall_loop(run::LoopContext&);  // sync, psync, pvsync2, mmap
base::Expected<void> io_uring_loop(run::LoopContext&);
base::Expected<void> nvme_loop(run::LoopContext& context);
base::Expected<void> sim_loop(run::LoopContext&);

base::Expected<void> check_nvme_job(const job::Job& job);

}  // namespace fathom::loops
