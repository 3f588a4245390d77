// The options of the program itself, in addition to job options: rows of a Command.
#pragma once
#include <span>

#include "job/command.h"
#include "options/manual.h"

namespace fathom::job {

// --schema, for every command that had it.
inline constexpr const char* kSchemaIsGone =
    "JSON is written in the newest schema, which docs/reference/json.md describes";

// When the status line is shown, for every command with a status line.
inline constexpr options::Choice kEtas[] = {{"auto", int(Eta::automatic), "when the output is a terminal"},
                                            {"always", int(Eta::always), ""},
                                            {"never", int(Eta::never), ""}};

// fio's options, and fathom's own, which fio mode accepts too. Rows with Status::not_built exist only in fio.
std::span<const options::Group> switches();
// Describes a command line that mixes them with job options.
const options::Manual& fio_manual();
// nullptr: unknown name.
const options::Row* find_switch(std::string_view name);

}  // namespace fathom::job
