// Shell completions, generated from the manuals.
// Subcommands are the words of the commands' names, options their rows, values the rows' choices; elsewhere files.
// Sources: bash(1) "Programmable Completion", zshcompsys(1), complete(1) of fish.
// Thread rule: pure; any thread.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "options/manual.h"

namespace fathom::options {

// shell: bash, zsh or fish. ErrorKind::usage: another word.
// The first word of each manual's command is a program.
base::Expected<std::string> completion(std::string_view shell, std::span<const Manual> manuals);

}  // namespace fathom::options
