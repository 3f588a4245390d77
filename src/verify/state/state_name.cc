// See state_name.h. Only the job's name is changed, because a prefix may be a path.
#include "verify/state/state_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::verify::state {

std::string state_file_name(std::string_view job_name, std::uint64_t job_index, std::string_view aux_path,
                            std::string_view prefix) {
  std::string job(job_name);
  std::replace(job.begin(), job.end(), '/', '.');
  const std::string_view between = aux_path.empty() ? "" : "/";
  return fmt::format("{}{}{}-{}-{}-verify.state", aux_path, between, prefix, job, job_index);
}

}  // namespace fathom::verify::state
