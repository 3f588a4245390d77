// A subcommand from its command line to its exit status. The rows are read by options/; here help, mistakes and results
// go out.
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

// Help, mistakes and failures are shown here; what `carry_out` returns is printed, as bytes where --raw was given.
int with_options(const Manual& manual, std::span<const std::string> args,
                 const std::function<base::Expected<std::string>(const Given&)>& carry_out,
                 const options::Targets& targets = options::Targets());

// The same of a command whose rows write to an Asked.
template <class Asked>
int with_options(const Manual& manual, std::span<const std::string> args,
                 base::Expected<std::string> (*carry_out)(const Given&, const Asked&)) {
  Asked asked;
  return with_options(
      manual, args, [&](const Given& given) { return carry_out(given, asked); }, options::Targets(asked));
}

// To standard output, to the last byte; the exit status, kIoError where it does not take it (a full disk).
int print_out(std::string_view text, std::string_view program);

}  // namespace fathom::cli
