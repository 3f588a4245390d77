// The files that a job means: what its text is read from, what its patterns are read from, and what it reads and writes. No output of a command may be one
// of them (base/files/identity.h).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/identity.h"
#include "job/command.h"

namespace fathom::cli::report_commands {

// job::parse_command(). Named then: job files with what they include, the files of patterns and of dp_scheme=.
base::Expected<job::Command> read_command(std::span<const std::string> args, base::files::NamedFiles& named);
// The same of jobs that other processes run, and their targets: the words of each. What is wrong with one those will
// say. ErrorKind::refused: a target that is written is read as one of their texts.
base::Expected<void> name_files_of_jobs(std::span<const std::vector<std::string>> jobs, base::files::NamedFiles& named);

}  // namespace fathom::cli::report_commands
