// The pieces of the text report, one file each. Every piece ends with a newline or is empty.
#pragma once
#include <string>

#include "result/result.h"

namespace fathom::report {

std::string job_block(const result::Run& run, const result::Job& job);        // normal_job.cc
std::string group_block(const result::Run& run, const result::Group& group);  // normal_groups.cc
std::string disk_block(const result::Run& run);                               // normal_groups.cc
std::string fathom_block(const result::Run& run);                             // normal_fathom.cc

}  // namespace fathom::report
