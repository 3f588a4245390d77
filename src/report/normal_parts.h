// The pieces of the text report, one file each. Every piece ends with a newline or is empty.
#pragma once
#include <functional>
#include <string>

#include "result/result.h"

namespace fathom::report {

std::string job_block(const result::Run& run, const result::Job& job);        // normal_job.cc
std::string group_block(const result::Run& run, const result::Group& group);  // normal_groups.cc
std::string disk_block(const result::Run& run);
std::string idleness_block(const result::Run& run);     // normal_groups.cc
std::string fathom_block(const result::Run& run);       // normal_fathom.cc
std::string clock_lines(const result::Run& run);        // normal_clock.cc
std::string queue_lines(const result::Run& run);        // normal_queue.cc
std::string audit_lines(const result::Run& run);        // normal_audit.cc
std::string breakdown_lines(const result::Run& run);    // normal_breakdown.cc
std::string repeat_lines(const result::Run& run);       // normal_fathom.cc
std::string settle_line(const result::Settle& settle);  // normal_fathom.cc
std::string finding_lines(const result::Run& run);      // normal_fathom.cc

// "  WORD JOB: TEXT" for each job that has a text; jobs of one text share a line that names the first and counts the
// others.
std::string lines_by_text(const result::Run& run, const char* word,
                          const std::function<std::string(const result::Job&)>& text_of);  // normal_clock.cc

}  // namespace fathom::report
