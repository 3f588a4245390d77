// The jobs of a result as a job file that `fathom run` reads. A result has the options of each job as they were
// written, wherever they were written: in several files, in included files, on a command line. Variables are replaced.
// Pure.
#pragma once
#include <string>
#include <vector>

#include "base/error.h"
#include "result/result.h"

namespace fathom::bundle {

struct JobText {
  std::string text;
  // Permissions to write, which a bundle never carries: "job `a`: allow_mounted_write=1".
  std::vector<std::string> omitted;
};

// ErrorKind::usage: no jobs (`fathom paging`, another program), or a value that a job file cannot have: a value of a
// command line may contain `;`, `#` or a line end.
base::Expected<JobText> job_text(const result::Run& run);

}  // namespace fathom::bundle
