// The files that belong to a job: the sources of its text and patterns, and the files that it reads and writes. No
// output of a command may be one of them (base/files/identity.h).
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/identity.h"
#include "job/command.h"

namespace fathom::cli::report_commands {

// A job file that is not on a disk: its name in `args`, its text, and the file that it is from.
struct JobInMemory {
  std::string name, text, file;
};

// Calls job::parse_command(). Adds to `named`: job files and their includes, the files of patterns and of dp_scheme=.
// in_memory: nullptr: every job file is read.
base::Expected<job::Command> read_command(std::span<const std::string> args, base::files::NamedFiles& named,
                                          const JobInMemory* in_memory = nullptr);
// The same for jobs that other processes run, and their targets. jobs: the arguments of each. If a job has an error,
// this skips it: that process reports the error. ErrorKind::refused: a target to be written is also read as a job's
// text.
base::Expected<void> name_files_of_jobs(std::span<const std::vector<std::string>> jobs, base::files::NamedFiles& named);

}  // namespace fathom::cli::report_commands
