// Exit statuses. Native: distinct by kind. fio mode: fio's, the number of failed jobs, 1 for a usage error, 128 when
// interrupted.
#pragma once
#include "base/error.h"

namespace fathom::cli {

enum ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kPrivilege = 3,
  kIoError = 4,
  kSignalled = 128,  // and the signal (cli/signals.h)
  kInterrupted = 130,
  kFioFailed = 1,
  kFioInterrupted = 128,
};

constexpr int exit_code(const base::Error& error, bool fio_mode) {
  if (fio_mode) return kFioFailed;
  switch (error.kind) {
    case base::ErrorKind::usage:
    case base::ErrorKind::not_built:
    case base::ErrorKind::refused:
      return kUsage;
    case base::ErrorKind::privilege:
      return kPrivilege;
    case base::ErrorKind::io:
      return kIoError;
  }
  return kUsage;
}

}  // namespace fathom::cli
