// The end of a section: decides and checks values that depend on several options.
#pragma once
#include "job/command.h"
#include "job/draft.h"

namespace fathom::job {

// An error at the option that caused it, or at the job's name if the option has its default.
base::Error error_for(const Draft& draft, const Assignment& section, std::string_view option, std::string what,
                      std::string cause, std::string help);

// `section` is the place of the job's name.
base::Expected<void> resolve(Draft& draft, const Assignment& section, const Environment& env);

}  // namespace fathom::job
