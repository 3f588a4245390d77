// The names of a job's files: from filename=, opendir=, or filename_format= in directory=.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/engine.h"
#include "job/job.h"

namespace fathom::run::files {

// From filename_format= alone, as written.
std::vector<std::string> formatted_names(const job::Job& job);

// Errors: io, only from opendir=.
base::Expected<std::vector<std::string>> target_names(const job::Job& job);

// The one target of the job if an option of its engine names it; otherwise empty.
std::string name_by_option(const job::Job& job);

// The targets that an engine accesses itself: the one that its option names, files below the URL of its option, or the
// devices of filename=.
base::Expected<std::vector<std::string>> engine_target_names(const job::Job& job, const engine::Targets& known);

}  // namespace fathom::run::files
