// Every PID namespace has a process 1. It belongs to another user, so hidepid= hides it from users that the option
// applies to.
#include "host/proc/hidden_proc.h"

#include <unistd.h>

#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::proc {
namespace {

constexpr std::string_view kFirstPidNamespace = "pid:[4026531836]";  // PROC_PID_INIT_INO: the machine's own

}  // namespace

std::string processes_hidden_by(const std::string& prefix) {
  const std::string proc = prefix + "/proc/";
  char space[64] = {};
  if (::readlink((proc + "self/ns/pid").c_str(), space, sizeof space - 1) > 0 && kFirstPidNamespace != space)
    return "pid_namespace";
  if (!read_text(proc + "1/stat", 1).empty()) return "";
  const auto mounts = read_text(proc + "self/mountinfo");
  for (const auto line : split_lines(mounts))
    if (line.find(" /proc ") != line.npos && line.find("hidepid=") != line.npos) return "hidepid";
  return "";
}

std::string_view why_processes_are_hidden(std::string_view by) {
  if (by == "hidepid") return "/proc hides the processes of other users (hidepid)";
  return by.empty() ? "" : "processes outside of this container's PID namespace cannot be seen from inside";
}

}  // namespace fathom::host::proc
