// "4711 (name with ) in it) S 4242 ...": the name may contain anything, including blanks and parentheses. So it ends at
// the last parenthesis, and the fields are counted from there.
#include "host/proc/task_stat.h"

#include <charconv>

#include "host/proc/proc_text.h"

namespace fathom::host::proc {
namespace {

constexpr std::size_t kParent = 1, kGroup = 2, kSession = 3, kFlags = 6, kStart = 19;  // after the name, from 0
constexpr std::uint64_t kPfKthread = 0x00200000;

}  // namespace

std::optional<TaskStat> parse_task_stat(std::string_view text) {
  const auto open = text.find('('), close = text.rfind(')');
  if (open == text.npos || close == text.npos || close < open) return std::nullopt;
  TaskStat stat;
  stat.name = text.substr(open + 1, close - open - 1);
  const auto fields = split_fields(text.substr(close + 1));
  const auto field = [&](std::size_t i) {
    std::uint64_t value = 0;
    if (i < fields.size()) std::from_chars(fields[i].data(), fields[i].data() + fields[i].size(), value);
    return value;
  };
  stat.parent = static_cast<pid_t>(field(kParent));
  stat.group = static_cast<pid_t>(field(kGroup));
  stat.session = static_cast<pid_t>(field(kSession));
  stat.kernel_thread = (field(kFlags) & kPfKthread) != 0;
  stat.start_ticks = field(kStart);
  return stat;
}

}  // namespace fathom::host::proc
