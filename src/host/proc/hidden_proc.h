// Why /proc hides whole processes: /proc of a PID namespace shows only that namespace, and one mounted with hidepid=
// shows a user only that user's processes. A hidden process may do I/O or have files open. Source: proc(5),
// pid_namespaces(7). Thread-safe.
#pragma once
#include <string>
#include <string_view>

namespace fathom::host::proc {

// "pid_namespace", "hidepid"; empty: /proc shows all. `prefix` precedes /proc, for tests.
std::string processes_hidden_by(const std::string& prefix = "");
// A sentence for that name; empty for an empty name.
std::string_view why_processes_are_hidden(std::string_view by);

}  // namespace fathom::host::proc
