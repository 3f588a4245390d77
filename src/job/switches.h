// The options of the program itself, beside those of jobs: rows of a Command.
#pragma once
#include <span>

#include "job/command.h"
#include "options/manual.h"

namespace fathom::job {

// --schema, of every command that had it.
inline constexpr const char* kSchemaIsGone =
    "JSON is written in the newest schema, which docs/reference/json.md describes";

// When the status line is shown; every command that has one takes these.
inline constexpr options::Choice kEtas[] = {{"auto", int(Eta::automatic), "when the output is a terminal"},
                                            {"always", int(Eta::always), ""},
                                            {"never", int(Eta::never), ""}};

// fio's, and fathom's own, which are accepted in fio mode too. A row with Status::not_built is fio's alone.
std::span<const options::Group> switches();
// How they stand on a command line among the options of jobs.
const options::Manual& fio_manual();
// nullptr: none of that name.
const options::Row* find_switch(std::string_view name);

}  // namespace fathom::job
