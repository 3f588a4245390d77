// Upwards from this process: what started it, what started that, and so on.
#include "host/kinship.h"

#include "host/task_stat.h"
#include "host/text_file.h"

namespace fathom::host {
namespace {

std::optional<TaskStat> stat_of(const std::string& process, const std::string& prefix) {
  return parse_task_stat(read_text(prefix + "/proc/" + process + "/stat", 1024));
}

}  // namespace

std::string_view kinship(pid_t other, const std::string& prefix) {
  constexpr int kMostGenerations = 64;
  const auto own = stat_of("self", prefix);
  if (!own) return "";
  pid_t at = own->parent;
  for (int i = 0; i < kMostGenerations && at > 0; ++i) {
    if (at == other) return "which started this command";
    const auto parent = stat_of(std::to_string(at), prefix);
    at = parent ? parent->parent : 0;
  }
  const auto stat = stat_of(std::to_string(other), prefix);
  if (!stat) return "";
  if (stat->group == own->group) return "of the same process group";
  return stat->session == own->session ? "of the same session" : "";
}

}  // namespace fathom::host
