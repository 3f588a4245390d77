// The file `fio-dump-status`, which asks a run for a report in mid-run as SIGUSR1 does: whoever makes it need not know
// the run's process. It lies in $TMPDIR, $TEMP or /tmp, and is removed when it is seen. Source: fio(1), --status-interval.
#pragma once
#include <string>

namespace fathom::cli::run_commands {

class StatusFile {
 public:
  StatusFile();
  // It was there, and is gone. One that cannot be removed asks nothing: it would ask for ever.
  bool take() const;

 private:
  std::string path_;
};

}  // namespace fathom::cli::run_commands
