// The name of a state file. fio finds a state only by its name, so the name is exactly fio's:
// local-JOB-INDEX-verify.state, with each '/' of the job's name as '.', in the working directory or that of --aux-path.
// Two jobs named a/b and a.b with one index would share a file. Indexes count over all jobs, so this cannot happen.
// Source: fio's documentation, and files that fio 3.33 wrote. Pure; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::verify::state {

inline constexpr std::string_view kLocalState = "local";  // a client writes its server's address instead

// job_index: of all jobs of the run, from 0. aux_path: of --aux-path, empty for the working directory.
std::string state_file_name(std::string_view job_name, std::uint64_t job_index, std::string_view aux_path = {},
                            std::string_view prefix = kLocalState);

}  // namespace fathom::verify::state
