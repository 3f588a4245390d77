// The status line of a running job, in fio's form: `Jobs: 1 (f=1): [r(1)][42.0%][r=128MiB/s][r=32.8k IOPS][eta
// 00m:12s]`. Pure: the caller prints it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::live {

struct Snapshot {
  std::uint32_t jobs_running = 0, open_files = 0;
  std::string states;  // a letter a job
  double bytes_per_s[3] = {}, ios_per_s[3] = {};
  double done_share = 0;
  std::uint64_t eta_s = 0;
  bool eta_known = false;
};

std::string status_line(const Snapshot& s);
// "RRRw" -> "R(3),w(1)", as fio condenses it.
std::string condense_states(const std::string& states);
std::string layout_line(const std::string& job, std::uint64_t files, std::uint64_t done_bytes,
                        std::uint64_t total_bytes);

}  // namespace fathom::live
