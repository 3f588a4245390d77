// Rendering the wait for quiet. What is too busy is marked, so that it is seen what is waited for.
#include "live/settle_line.h"

#include <fmt/format.h>

namespace fathom::live {
namespace {

std::string background(const SettleSnapshot& s) {
  if (!s.seen) return s.disks.empty() ? "looking at the CPUs" : "looking at the CPUs and " + s.disks;
  const auto bound = [](double now, double most) {
    return now > most ? fmt::format("waiting for {:g} or less", most) : fmt::format("{:g} allowed", most);
  };
  std::string out = fmt::format("CPUs {:.1f} % busy ({})", s.cpu_percent, bound(s.cpu_percent, s.most_cpu_percent));
  if (!s.disks.empty())
    out += fmt::format(", {} {:.0f} I/O/s ({})", s.disks, s.disk_iops, bound(s.disk_iops, s.most_disk_iops));
  return out;
}

}  // namespace

std::string settle_line(const SettleSnapshot& s) {
  const std::string still = s.quiet_s > 0 ? fmt::format("quiet for {:.1f} s, {:.1f} s more", s.quiet_s, s.still_s)
                                          : fmt::format("{:.1f} s of quiet needed", s.still_s);
  return fmt::format("settling: {}; {}, gives up in {:.0f} s", background(s), still, s.gives_up_s);
}

}  // namespace fathom::live
