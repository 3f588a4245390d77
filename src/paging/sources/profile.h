// A profile learnt from a real process's memory accesses: a small text file that `--pattern profile:FILE` plays. Lines
// of "name value"; `#` begins a comment. Unknown names are an error, so that an old program does not play half a
// profile.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::paging::sources {

struct Profile {
  int version = 1;
  std::string command;  // observed command: one line
  std::string method;   // "soft-dirty", "idle pages", "DAMON vaddr", "DAMON paddr", "referenced"
  double observed_s = 0;
  std::uint64_t page_bytes = 4096;
  std::uint64_t mapped_bytes = 0;       // of the watched mappings
  std::uint64_t working_set_bytes = 0;  // touched within a second, or in the whole observation if that was shorter
  double zipf_theta = 0;                // exponent of page frequency by rank; < 0: unknown, all are played equally
  double zipf_error = 0;                // half of its 95 % interval
  double read_percent = -1;             // < 0: the method cannot measure it
  double hot_move_s = 0;                // the hot set moves at this interval; 0: it does not move
  double hot_move_share = 0;            // share of it that changes each time, 0..1
};

// Whether an exponent is precise enough to write: half of its 95 % interval is at most a third of it and at most 0.3.
// Or both are so small that it is known to be about zero.
bool exponent_is_known(double theta, double error);

// `version`, `working_set_bytes` and `zipf_theta` are required. `command` and `method` take the rest of their line as
// it is; control characters are written as spaces. Pure.
base::Expected<Profile> parse_profile(std::string_view text, const std::string& file_name);  // errors: file:line:column
std::string write_profile(const Profile& profile);
// Errors: also io.
base::Expected<Profile> read_profile(const std::string& path);

}  // namespace fathom::paging::sources
