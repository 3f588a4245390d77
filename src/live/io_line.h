// A line for each completed I/O, in the format of fio's --debug=io, which fio's own tests read. In place of the I/O's
// address, which fio prints, the line has its number. Pure: the caller prints the lines.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>

#include "result/io_stamp.h"
#include "run/files/targets.h"

namespace fathom::live {

// first: the number of the first I/O.
std::string io_lines(pid_t worker, std::uint64_t first, std::span<const result::IoStamp> stamps,
                     const run::files::Plan& plan);
std::string io_lost_line(pid_t worker, std::uint64_t lost);

}  // namespace fathom::live
