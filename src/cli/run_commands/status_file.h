// The file `fio-dump-status`, which requests a report in mid-run as SIGUSR1 does. Its creator need not know the run's
// process id. The file is in $TMPDIR, $TEMP or /tmp, and the run removes it. Source: fio(1), --status-interval.
#pragma once
#include <string>

namespace fathom::cli::run_commands {

class StatusFile {
 public:
  StatusFile();
  // True: the file existed and was removed. A file that cannot be removed is ignored: it would request reports forever.
  bool take() const;

 private:
  std::string path_;
};

}  // namespace fathom::cli::run_commands
