// Job files: text to sections. This module parses only their form, not the options.
#pragma once
#include <string>
#include <vector>

#include "job/command.h"
#include "job/section.h"

namespace fathom::job {

base::Expected<std::vector<Section>> read_job_file(const std::string& path, const Environment& env);
base::Expected<std::vector<Section>> read_job_text(const std::string& text, const std::string& file_name,
                                                   const Environment& env);

}  // namespace fathom::job
