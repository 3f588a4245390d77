// Where reports go: standard output or --output=FILE. With several formats the text comes in two halves around the
// others, as fio prints it (a script cuts the JSON out between lines that are a brace alone). In any JSON format run
// errors go to standard error as well, so that the JSON stays alone and parseable; in text they are part of the report,
// as in fio.
#pragma once
#include <cstdio>

#include "base/error.h"
#include "job/command.h"
#include "result/result.h"

namespace fathom::cli {

class Output {
 public:
  explicit Output(const job::Command& command) : command_(command) {}
  ~Output();
  Output(const Output&) = delete;
  base::Expected<void> open();  // before the run: a report that cannot be written is known early
  base::Expected<void> write(const result::Run& run);

 private:
  const job::Command& command_;
  std::FILE* file_ = nullptr;
};

}  // namespace fathom::cli
