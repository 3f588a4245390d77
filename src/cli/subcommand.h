// Runs a subcommand from its command line to its exit status.
// The module options/ parses the rows. This file prints help, errors and results.
// Thread rule: the main thread.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "options/command_line.h"

namespace fathom::cli {

using options::Given;
using options::Manual;
using options::usage_error;

// Prints help, usage errors and failures. Prints the result of `carry_out`, as raw bytes if --raw was given.
// Returns the exit status (exit_codes.h).
int with_options(const Manual& manual, std::span<const std::string> args,
                 const std::function<base::Expected<std::string>(const Given&)>& carry_out,
                 const options::Targets& targets = options::Targets());

// The same for a command with rows that write to an Asked.
template <class Asked>
int with_options(const Manual& manual, std::span<const std::string> args,
                 base::Expected<std::string> (*carry_out)(const Given&, const Asked&)) {
  Asked asked;
  return with_options(
      manual, args, [&](const Given& given) { return carry_out(given, asked); }, options::Targets(asked));
}

// Writes all of `text` to standard output. Returns the exit status: kIoError if not all was written (a full disk).
int print_out(std::string_view text, std::string_view program);

}  // namespace fathom::cli
