// A name on the command line: whole or a unique beginning of one.
#pragma once
#include <string>
#include <string_view>

#include "base/error.h"
#include "options/row.h"

namespace fathom::job {

struct NameMatch {
  const options::Row* program = nullptr;  // an option of the program, or
  std::string option;                     // the name of a job option, built or not
};

// An error has `what`, `cause` and `help`; the caller knows the place.
base::Expected<NameMatch> match_name(std::string_view written);

}  // namespace fathom::job
