// "Did you mean" for the names of options.
#pragma once
#include <string>
#include <string_view>

namespace fathom::job {

// "did you mean `bs`?" with `before` in front of the name, or `otherwise` where no option's name or alias is near.
std::string suggest_option(std::string_view written, std::string_view otherwise, std::string_view before = {});
// The same over the options of the program too: what follows `--`.
std::string suggest_argument(std::string_view written, std::string_view otherwise);

}  // namespace fathom::job
