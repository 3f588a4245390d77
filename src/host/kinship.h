// What another process is to this one: whoever finds "bash" in the way of his own command wants to know that it is the
// shell that he typed it in. Source: proc_pid_stat(5), fields 4 to 6. Thread-safe.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>

namespace fathom::host {

// "which started this command" (an ancestor), "of the same process group" (a pipeline, a script's commands), "of the
// same session" (a terminal's); empty for a foreign. `prefix` stands before /proc, for tests.
std::string_view kinship(pid_t other, const std::string& prefix = "");

}  // namespace fathom::host
