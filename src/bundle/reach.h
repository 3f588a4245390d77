// What the job of a bundle asks for beyond I/O on its targets: to start a program, to read another file, to be allowed
// to write. The text is examined as written, so an option that a later one overrides counts too. Pure.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::bundle {

struct Reach {
  std::string section, written;  // "exec_prerun=sync"
  std::string_view does;         // "starts a program"
};

// A permission to write, which only the user may give: on the command line.
bool is_permission(std::string_view option);
// Options with a file or a program as value, by their canonical names, for tests.
std::vector<std::string_view> reaching_options();

// Errors: usage, if the text is no job file.
base::Expected<std::vector<Reach>> reach_of(const std::string& job_text);
// Permissions in the text, as above.
base::Expected<std::vector<Reach>> permissions_in(const std::string& job_text);

}  // namespace fathom::bundle
