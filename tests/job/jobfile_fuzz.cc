// libFuzzer: any bytes as a job file. Nothing outside is read; an error must have a place that lies in the text.
#include <cstdint>
#include <cstdlib>

#include "job/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  job::Environment env;
  env.getenv = [](const std::string&) -> std::optional<std::string> { return "4k"; };
  env.read_file = [](const std::string& path) -> base::Expected<std::string> { return base::system_error(path, 2); };
  const auto set = job::parse_job_text(std::string(reinterpret_cast<const char*>(data), size), "fuzz.fio", env);
  if (set) {
    for (const auto& j : set->jobs)
      for (std::size_t d = 0; d < io::kDataDirs; ++d)
        if (j.bs_min[d] == 0 || j.bs_min[d] > j.bs_max[d] || j.blockalign[d] == 0) std::abort();
    return 0;
  }
  const auto& place = set.error().place;
  if (!place || place->column < 1 || place->column > static_cast<int>(place->line_text.size()) + 1) std::abort();
  return 0;
}
