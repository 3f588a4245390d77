// Help and version, and the output of --cmdhelp and --enghelp.
// Functions that end in _command print and return the exit status.
// Thread rule: the main thread.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "audit/machine/build_checks.h"
#include "base/error.h"
#include "result/result.h"

namespace fathom::cli {

// The fio version that fio mode is compatible with, in command line and output.
inline constexpr std::string_view kFioVersion = "fio-3.42";

std::string version_line();
result::Program program_facts(std::span<const std::string> argv, bool fio_mode);
audit::machine::BuildFacts build_facts();
int version_command();
// args: the words after `help`.
int help_command(std::span<const std::string> args);
// args: one shell, bash, zsh or fish. Another word is a usage error.
int completion_command(std::span<const std::string> args);
std::string run_help(bool fio_mode);
// Help of one engine; empty name: the list of engines. ErrorKind::usage: unknown engine.
base::Expected<std::string> engine_help(const std::string& name);

}  // namespace fathom::cli
