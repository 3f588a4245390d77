// The pieces of the text report. Every piece ends with a newline or is empty.
#pragma once
#include <functional>
#include <string>

#include "result/result.h"

namespace fathom::report {

std::string job_block(const result::Run& run, const result::Job& job);
std::string group_block(const result::Run& run, const result::Group& group);
std::string disk_block(const result::Run& run);
std::string idleness_block(const result::Run& run);
std::string program_text(const result::Program& program);  // name, version and commit, if known
std::string fathom_block(const result::Run& run);
std::string clock_lines(const result::Run& run);
std::string queue_lines(const result::Run& run);
std::string audit_lines(const result::Run& run);
std::string breakdown_lines(const result::Run& run);
std::string replay_lines(const result::Run& run);
std::string repeat_lines(const result::Run& run);
std::string settle_line(const result::Settle& settle);
std::string finding_lines(const result::Run& run);

// "  WORD JOB: TEXT" for each job that has a text. Jobs with the same text share a line, which names the first and
// counts the others.
std::string lines_by_text(const result::Run& run, const char* word,
                          const std::function<std::string(const result::Job&)>& text_of);

}  // namespace fathom::report
