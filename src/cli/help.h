// Help, version, and what --cmdhelp and --enghelp print.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "audit/machine/build_checks.h"
#include "base/error.h"
#include "result/result.h"

namespace fathom::cli {

inline constexpr std::string_view kFioVersion =
    "fio-3.42";  // the version whose command line and output fio mode keeps to

std::string version_line();
result::Program program_facts(std::span<const std::string> argv, bool fio_mode);
audit::machine::BuildFacts build_facts();
int version_command();
int help_command(std::span<const std::string> args);
int completion_command(std::span<const std::string> args);
std::string run_help(bool fio_mode);
base::Expected<std::string> engine_help(const std::string& name);  // empty: list

}  // namespace fathom::cli
