// Exit statuses. Native: one per kind of error.
// fio mode: fio's statuses, which are the number of failed jobs, 1 for a usage error, 128 when interrupted.
// Thread rule: constants and a pure function; any thread.
#pragma once
#include "base/error.h"

namespace fathom::cli {

enum ExitCode : int {
  kOk = 0,
  kCheckFailed = 1,
  kUsage = 2,
  kPrivilege = 3,
  kIoError = 4,
  kNotKept = 5,      // the run succeeded, but --keep could not store it
  kSignalled = 128,  // plus the signal number (cli/signals.h)
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
