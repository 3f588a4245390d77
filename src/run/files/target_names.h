// What the files of a job are called: filename=, opendir=, or filename_format= in directory=.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "job/job.h"

namespace fathom::run::files {

// Errors: io, of opendir= alone.
base::Expected<std::vector<std::string>> target_names(const job::Job& job);

}  // namespace fathom::run::files
