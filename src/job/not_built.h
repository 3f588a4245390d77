// What fio has and fathom does not have yet, by name: such an option or engine is an error that says just that, not
// "unknown". A value that asks for what is done anyway is no error: scripts write `nice=0` and `per_job_logs=1`.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "job/job.h"

namespace fathom::job {

// A job in which the option changes nothing, whatever is said in `words`.
struct Moot {
  bool (*holds)(const Job&, std::string_view value);
  std::string_view words;
};

struct NotBuilt {
  std::string_view name;
  std::string_view aliases;       // separated by spaces
  std::string_view engines;       // of an engine's option; separated by spaces
  std::string_view neutral = {};  // values that ask for what is done anyway (job/neutral.h); separated by spaces
  const Moot* moot = nullptr;     // further values, as the job is
};

std::span<const NotBuilt> options_not_built();
const NotBuilt* find_not_built(std::string_view name);
// "`0`, any number": what such an option may say; empty: nothing.
std::string neutral_words(const NotBuilt& option);

// fio's engines that fathom does not have.
std::span<const std::string_view> engines_not_built();

}  // namespace fathom::job
