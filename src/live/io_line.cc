// In fio's words.
#include "live/io_line.h"

#include <fmt/format.h>

namespace fathom::live {

std::string io_lines(pid_t worker, std::uint64_t first, std::span<const result::IoStamp> stamps,
                     const run::files::Plan& plan) {
  const auto& targets = plan.targets;
  std::string out;
  for (const auto& io : stamps)
    out +=
        fmt::format("{:<8} {:<5} complete: io_u 0x{:x}: off=0x{:x},len=0x{:x},ddir={},file={}\n", "io", worker, first++,
                    io.offset, io.length, io.dir, io.target < targets.size() ? targets[io.target].path : "");
  return out;
}

std::string io_lost_line(pid_t worker, std::uint64_t lost) {
  return fmt::format("{:<8} {:<5} {} I/Os came faster than their lines could be written\n", "io", worker, lost);
}

}  // namespace fathom::live
