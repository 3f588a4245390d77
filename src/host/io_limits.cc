// Reads a few small files per group.
#include "host/io_limits.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "host/own_groups.h"
#include "host/proc/text_file.h"

namespace fathom::host {
namespace {

// A file of version 1 has one rate. A line of version 2 has words for several rates.
struct RateWord {
  const char *file, *word;
  double (IoLimit::*rates)[2];
  std::size_t direction;
};
constexpr RateWord kRateWords[] = {{"blkio.throttle.read_bps_device", "rbps=", &IoLimit::bytes_per_s, 0},
                                   {"blkio.throttle.write_bps_device", "wbps=", &IoLimit::bytes_per_s, 1},
                                   {"blkio.throttle.read_iops_device", "riops=", &IoLimit::iops, 0},
                                   {"blkio.throttle.write_iops_device", "wiops=", &IoLimit::iops, 1}};
constexpr const char* kSecondVersion[] = {"io.max", "io.latency"};

using Names = std::vector<std::string>;

// A word of a line with a limit: "500" in a file of version 1, "riops=500" in one of version 2.
void add_rate(const std::string& file, const std::string& word, IoLimit& limit) {
  for (const auto& row : kRateWords) {
    const bool first = file == row.file;
    if (!first && !word.starts_with(row.word)) continue;
    const double rate = std::strtod(word.c_str() + (first ? 0 : std::strlen(row.word)), nullptr);
    double& least = (limit.*row.rates)[row.direction];
    if (rate > 0 && (least == 0 || rate < least)) least = rate;
  }
}

// Lines of devices with a limit: all lines of version 1, and lines of version 2 unless every word ends in "=max".
void add_limits_in(const std::string& file, const std::string& text, const Names& disks, IoLimit& limit) {
  std::string& out = limit.text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string device, word;
    words >> device;
    if (!disks.empty() && std::find(disks.begin(), disks.end(), device) == disks.end()) continue;
    bool any = false;
    while (words >> word)
      if (!word.ends_with("=max") && word != "0") any = true, add_rate(file, word, limit);
    if (any) out += (out.empty() ? "" : "; ") + line;
  }
}

void add_of_group(const OwnGroup& group, const Names& disks, std::vector<IoLimit>& out) {
  const auto add = [&](const char* name) {
    IoLimit limit;
    add_limits_in(name, proc::read_text(group.folder + "/" + name), disks, limit);
    if (limit.text.empty()) return;
    limit.text = std::string(name) + " of " + group.path + ": " + limit.text;
    if (std::find(out.begin(), out.end(), limit) == out.end()) out.push_back(std::move(limit));
  };
  if (group.second)
    for (const char* name : kSecondVersion) add(name);
  else
    for (const auto& row : kRateWords) add(row.file);
}

}  // namespace

std::vector<IoLimit> io_limits(const Names& further, const Names& disks, const std::string& prefix) {
  std::vector<IoLimit> out;
  for (const auto& group : own_groups("blkio", further, prefix)) add_of_group(group, disks, out);
  return out;
}

}  // namespace fathom::host
