// Options cmdprio_*.
#pragma once
#include "io/cmdprio.h"

namespace fathom::io {

inline Outcome read_prio_split(const Value& value, std::vector<CmdprioOptions::Split>& splits) {
  const std::string help = "write bs/percent[/class/level[/hint]], for example `cmdprio_bssplit=4k/50:64k/10/1/0`";
  splits.clear();
  for (const auto entry : options::split(value.text, ':')) {
    const auto parts = options::split(entry, '/');
    if (parts.size() < 2 || parts.size() == 3 || parts.size() > 5)
      return wrong("not a share of a block size", "", help, entry);
    CmdprioOptions::Split one;
    if (auto problem = read_bytes(value.part(parts[0]), one.bytes)) return problem;
    constexpr unsigned kMost[] = {0, 100, 3, 7, 1023};
    double numbers[5] = {0, 0, 1, 0, 0};
    for (std::size_t i = 1; i < parts.size(); ++i)
      if (auto problem = read_real(value.part(parts[i]), 0, kMost[i], numbers[i])) return problem;
    const auto whole = [&](std::size_t i) { return static_cast<unsigned>(numbers[i]); };
    one.percent = whole(1);
    one.own = parts.size() > 2;
    one.of = {whole(2), whole(3), whole(4)};
    splits.push_back(one);
  }
  return {};
}

inline Outcome read_cmdprio_bssplit(CmdprioOptions& own, const Value& value) {
  return for_each_direction(value.text, [&](std::size_t d, std::string_view part) {
    return read_prio_split(value.part(part), own.split[d]);
  });
}

inline constexpr Row kCmdprioRows[] = {
    count_per_direction<&CmdprioOptions::percentage>(
        {"cmdprio_percentage", "0", "Percentage of the reads and writes with the priority of cmdprio"}, 0, 100),
    count_per_direction<&CmdprioOptions::io_class>(
        {"cmdprio_class", "1", "Their I/O priority class: 1 realtime, 2 best-effort, 3 idle"}, 0, 3),
    count_per_direction<&CmdprioOptions::level>({"cmdprio", "0", "Their I/O priority: 0 (first) to 7"}, 0, 7),
    count_per_direction<&CmdprioOptions::hint>({"cmdprio_hint", "0", "Hint to the device, in addition"}, 0, 1023),
    special<read_cmdprio_bssplit>(
        {"cmdprio_bssplit", "", "Shares of block sizes that have a priority: bs/percent[/class/level[/hint]]:..."},
        Type::list, 0, 0, 0, true),
};
inline constexpr OptionTable kCmdprioOptions{"cmdprio", kCmdprioRows};

}  // namespace fathom::io
