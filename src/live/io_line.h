// A line for each I/O that was completed, as fio's --debug=io writes them and its own tests read them. Where fio prints
// an I/O's address there stands its number. Pure: the caller prints them.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "result/io_stamp.h"
#include "run/files/targets.h"

namespace fathom::live {

// first: the number of the first of them.
std::string io_lines(pid_t worker, std::uint64_t first, std::span<const result::IoStamp> stamps,
                     const run::files::Plan& plan);
std::string io_lost_line(pid_t worker, std::uint64_t lost);

}  // namespace fathom::live
