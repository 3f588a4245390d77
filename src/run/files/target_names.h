// The names of a job's files: from filename=, opendir=, or filename_format= in directory=.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::run::files {

// From filename_format= alone, as written.
std::vector<std::string> formatted_names(const job::Job& job);

// Errors: io, only from opendir=.
base::Expected<std::vector<std::string>> target_names(const job::Job& job);

}  // namespace fathom::run::files
