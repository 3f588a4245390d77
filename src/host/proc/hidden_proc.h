// What keeps processes out of sight altogether: /proc of a PID namespace shows that namespace, and one mounted with
// hidepid= shows a user his own. Of what is not shown nobody can say that it did, or holds, nothing. Source: proc(5),
// pid_namespaces(7). Thread-safe.
#pragma once
#include <string>
#include <string_view>

namespace fathom::host::proc {

// "pid_namespace", "hidepid"; empty where /proc shows all. `prefix` stands before /proc, for tests.
std::string processes_hidden_by(const std::string& prefix = "");
// The same in words; empty for an empty name.
std::string_view why_processes_are_hidden(std::string_view by);

}  // namespace fathom::host::proc
