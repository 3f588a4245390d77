// As getopt_long does it for fio: an exact name wins, else a beginning that only one option has. Engines' options are
// looked at last, so that they do not make a beginning ambiguous that fio takes.
#include "job/option_name.h"

#include <vector>

#include <fmt/format.h>

#include "job/not_built.h"
#include "job/option.h"
#include "job/suggest.h"
#include "job/switches.h"

namespace fathom::job {
namespace {

bool begins(std::string_view name, std::string_view start) {
  return !name.empty() && name.substr(0, start.size()) == start;
}

bool any_begins(const Row& option, std::string_view start) {
  for (const auto name : option.names())
    if (begins(name, start)) return true;
  return false;
}

bool any_begins(const NotBuilt& option, std::string_view start) {
  for (const auto alias : words_in(option.aliases))
    if (begins(alias, start)) return true;
  return begins(option.name, start);
}

std::vector<NameMatch> job_candidates(std::string_view start, bool of_engines) {
  std::vector<NameMatch> found;
  for (const auto& group : option_groups())
    for (const auto& option : group.rows)
      if (option.words.engines.empty() != of_engines && any_begins(option, start))
        found.push_back({nullptr, std::string(option.name())});
  for (const auto& option : options_not_built())
    if (option.engines.empty() != of_engines && any_begins(option, start))
      found.push_back({nullptr, std::string(option.name)});
  return found;
}

std::vector<NameMatch> candidates(std::string_view start) {
  std::vector<NameMatch> found = job_candidates(start, false);
  for (const auto& group : switches())
    for (const auto& row : group.rows)
      if (any_begins(row, start)) found.push_back({&row, {}});
  if (found.empty()) found = job_candidates(start, true);
  return found;
}

base::Error unknown(std::string_view written) {
  base::Error e;
  e.what = fmt::format("`--{}` is not an option", written);
  e.cause = "neither fathom nor fio has an option of that name";
  e.help = suggest_argument(written, "`--help` lists the options of the program, `--cmdhelp` those of a job");
  return e;
}

}  // namespace

base::Expected<NameMatch> match_name(std::string_view written) {
  if (const Row* row = find_switch(written)) return NameMatch{row, {}};
  if (find_option(written) || find_not_built(written)) return NameMatch{nullptr, std::string(written)};
  const auto found = written.empty() ? std::vector<NameMatch>{} : candidates(written);
  if (found.size() == 1) return found.front();
  if (found.empty()) return unknown(written);
  std::vector<std::string> names;
  for (const auto& f : found) names.push_back("--" + (f.program ? std::string(f.program->name()) : f.option));
  base::Error e;
  e.what = fmt::format("`--{}` is the beginning of several options", written);
  e.cause = fmt::format("it could be {}", fmt::join(names, ", "));
  e.help = "write more of the name";
  return e;
}

}  // namespace fathom::job
