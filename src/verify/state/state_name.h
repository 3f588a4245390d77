// What a state file is called. The name is all by which fio finds a state again, so it is fio's to the letter:
// local-JOB-INDEX-verify.state, each '/' of the job's name a '.', in the working directory or in that of --aux-path.
// Two jobs named a/b and a.b with one index would share a file; indexes are counted over all jobs, so none do.
// Source: fio's documentation, and files that fio 3.33 wrote. Pure; any thread.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace fathom::verify::state {

inline constexpr std::string_view kLocalState = "local";  // a server's client writes the server's address instead

// job_index: of all jobs of the run, from 0. aux_path: of --aux-path, empty for the working directory.
std::string state_file_name(std::string_view job_name, std::uint64_t job_index, std::string_view aux_path = {},
                            std::string_view prefix = kLocalState);

}  // namespace fathom::verify::state
