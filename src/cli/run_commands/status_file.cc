// unlink(2) itself shows whether the file existed.
#include "cli/run_commands/status_file.h"

#include <unistd.h>

#include <cstdlib>

namespace fathom::cli::run_commands {

StatusFile::StatusFile() : path_("/tmp") {
  for (const char* variable : {"TEMP", "TMPDIR"})
    if (const char* folder = std::getenv(variable); folder != nullptr && *folder != '\0') path_ = folder;
  path_ += "/fio-dump-status";
}

bool StatusFile::take() const { return ::unlink(path_.c_str()) == 0; }

}  // namespace fathom::cli::run_commands
