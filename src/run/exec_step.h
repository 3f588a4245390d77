// exec_prerun=, exec_postrun=: a command for the shell beside a job, its output in JOB.prerun.txt or JOB.postrun.txt in
// the folder of the run. A job whose prerun fails is left out, and the run's exit status does not tell; what postrun
// ends with is nobody's business. Both as with fio. Thread rule: the worker's.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "job/job.h"

namespace fathom::run {

// "job.prerun.txt"
std::string exec_output_file(const job::Job& job, const char* which);

// Runs the command until it ends or `stop` asks; its exit status, 128 + the signal that ended it. Errors: it could not
// be started.
base::Expected<int> run_command(const job::Job& job, const std::string& command, const char* which,
                                const std::atomic<std::uint32_t>& stop);

}  // namespace fathom::run
