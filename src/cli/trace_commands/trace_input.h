// What the actions of `fathom trace` share: how a trace is named, its outputs, and its summary as text.
// Thread rule: the main thread.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/files/output_file.h"
#include "cli/subcommand.h"
#include "options/row.h"
#include "trace/reader.h"
#include "trace/sums/summary.h"

namespace fathom::cli::trace_commands {

struct TraceWish {
  std::string format, output;
  int wait = 0;  // trace::WaitMeaning
  bool force = false;
};

std::span<const options::Row> input_rows();   // --format, --wait
std::span<const options::Row> output_rows();  // --output, --force

// ErrorKind::usage: no file given.
base::Expected<std::unique_ptr<trace::Reader>> open_trace(const Given& given, const TraceWish& wish);
// The output of a command that reads these traces. Empty path: standard output.
base::Expected<base::files::Stream> open_output(const Given& given, const TraceWish& wish);

// What was skipped, what could not be known: a line each, with its indentation.
std::string reader_text(const trace::Reader& reader);
std::string summary_text(const trace::sums::Summary& summary, const trace::Reader& reader);

// Reads the command line, carries out, shows an error. Returns the exit status.
int carry_out(const Manual& manual, std::span<const std::string> args, const options::Targets& targets,
              const std::function<base::Expected<int>(const Given&)>& action);

}  // namespace fathom::cli::trace_commands
