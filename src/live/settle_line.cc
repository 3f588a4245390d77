// The line while a run waits for a quiet machine. A value above its limit is marked, so that the cause is visible.
#include "live/settle_line.h"

#include <fmt/format.h>

namespace fathom::live {
namespace {

std::string background(const host::SettleProgress& p) {
  const std::string disks = fmt::format("{}", fmt::join(p.disks, ", "));
  if (!p.seen) return disks.empty() ? "checking the CPUs" : "checking the CPUs and " + disks;
  const auto bound = [](double now, double most) {
    return now > most ? fmt::format("waiting for {:g} or less", most) : fmt::format("{:g} allowed", most);
  };
  std::string out = fmt::format("CPUs {:.1f} % busy ({})", p.cpu_percent, bound(p.cpu_percent, p.limits.cpu_percent));
  if (!disks.empty())
    out += fmt::format(", {} {:.0f} I/O/s ({})", disks, p.disk_iops, bound(p.disk_iops, p.limits.disk_iops));
  return out;
}

}  // namespace

std::string settle_line(const host::SettleProgress& p) {
  const std::string still = p.quiet_s > 0 ? fmt::format("quiet for {:.1f} s, {:.1f} s more", p.quiet_s, p.still_s)
                                          : fmt::format("{:.1f} s of quiet needed", p.still_s);
  return fmt::format("settling: {}; {}, gives up in {:.0f} s", background(p), still, p.gives_up_s);
}

}  // namespace fathom::live
