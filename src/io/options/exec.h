// Options of ioengine=exec: a program that runs concurrently with the jobs.
#pragma once
#include <fmt/format.h>

#include "io/engine_effects.h"
#include "io/option_table.h"

namespace fathom::io {

struct ExecOptions : OfEngine {
  std::string program, arguments;
  unsigned grace_s = 1;
  bool redirects = true;
};

inline Outcome settle_exec(EngineOptions& options, const Mode&) {
  const ExecOptions& own = options.own.get<ExecOptions>();
  if (own.program.empty())
    return Problem{
        "no program is defined, it is mandatory to define one", "", "write for example `program=/bin/sleep`", {}};
  options.own.get<EngineEffects>().announcement =
      fmt::format("$jobname : program={}, arguments={}", own.program, own.arguments);
  return {};
}

inline constexpr Row kExecRows[] = {
    text<&ExecOptions::program>({"program", "", "The program to run"}),
    text<&ExecOptions::arguments>(
        {"arguments", "", "Its arguments, separated by blanks; %r: the runtime in s, %n: the job's name"}),
    count<&ExecOptions::grace_s>({"grace_time", "1", "Seconds between SIGTERM at the end of the job and SIGKILL"}, 0,
                                 86'400),
    boolean<&ExecOptions::redirects>({"std_redirect", "1", "Write its output to JOB.stdout and JOB.stderr"}),
};
inline constexpr OptionTable kExecOptions{"exec", kExecRows, "Options of engines", settle_exec};

}  // namespace fathom::io
