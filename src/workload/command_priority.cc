// The shares of a size are consecutive ranges between 0 and 100. One random number per I/O selects the range.
#include "workload/command_priority.h"

#include <algorithm>

namespace fathom::workload {

CommandPriority::CommandPriority(Source& source, const io::CmdprioOptions& options, std::uint64_t seed)
    : source_(source), prng_(seed) {
  const auto number = [&](const io::CmdprioOptions::Of& of) {
    const auto at = std::find(options.values.begin(), options.values.end(), of);
    return static_cast<std::uint8_t>(at - options.values.begin() + 1);
  };
  for (std::size_t d = 0; d < 2; ++d) {
    if (options.percentage[d] != 0) shares_[d].push_back({0, options.percentage[d], number(options.common(d))});
    for (const auto& entry : options.split[d]) {
      unsigned begin = 0;
      for (const auto& before : shares_[d])
        if (before.bytes == entry.bytes) begin = std::max(begin, before.end);
      shares_[d].push_back({entry.bytes, begin + entry.percent, number(entry.of)});
    }
  }
}

std::uint8_t CommandPriority::number_of(const io::Request& request) {
  const auto& shares = shares_[io::index(request.dir)];
  const std::uint64_t draw = prng_.below(100);
  for (const auto& share : shares)
    if ((share.bytes == 0 || share.bytes == request.length) && draw < share.end) return share.number;
  return 0;
}

std::size_t CommandPriority::next(std::span<io::Request> out) {
  const std::size_t made = source_.next(out);
  for (auto& request : out.first(made))
    if (request.dir <= io::Dir::write)
      request.flags = static_cast<std::uint8_t>(request.flags | number_of(request) << io::kPriorityShift);
  return made;
}

}  // namespace fathom::workload
