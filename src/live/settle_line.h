// What --settle waits for, as a line: `settling: CPUs 43.2 % busy (waiting for 5 or less), vda 120 I/O/s (waiting for 5
// or less); 1.5 s of quiet needed, gives up in 57 s`. Pure: the caller prints it.
#pragma once
#include <string>

namespace fathom::live {

struct SettleSnapshot {
  std::string disks;  // "vda, vdb"; empty: none is looked at
  bool seen = false;  // the rates are known
  double cpu_percent = 0, most_cpu_percent = 0;
  double disk_iops = 0, most_disk_iops = 0;
  double quiet_s = 0, still_s = 0, gives_up_s = 0;
};
std::string settle_line(const SettleSnapshot& s);

}  // namespace fathom::live
