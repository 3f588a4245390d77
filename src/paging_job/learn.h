// The command line of `fathom paging learn`: what to observe, and how to report it.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "options/manual.h"
#include "paging/learn/learn.h"
#include "paging_job/request.h"

namespace fathom::paging_job {

struct LearnRequest {
  paging::learn::LearnPlan plan;
  std::vector<std::string> command;  // started and observed; empty: plan.pid is observed
};

struct LearnCommand {
  LearnRequest request;
  ReportOptions report;  // output and status line
  bool list = false;     // print the methods instead of observing
  bool help = false;
};

// args: without `paging learn`. ErrorKind::usage with the place in the command line.
base::Expected<LearnCommand> parse_learn(std::span<const std::string> args);
const options::Manual& learn_manual();

}  // namespace fathom::paging_job
