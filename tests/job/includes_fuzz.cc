// libFuzzer: job files that include each other. The input is their texts with a zero byte between them; the first is the job file, and `include N` reads
// the N-th. It ends, whatever includes what, and an error has a place that lies in the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "job/command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  std::vector<std::string> texts(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == 0)
      texts.emplace_back();
    else
      texts.back() += static_cast<char>(data[i]);
  }
  job::Environment env;
  env.getenv = [](const std::string&) -> std::optional<std::string> { return "4k"; };
  env.read_file = [&](const std::string& path) -> base::Expected<std::string> {
    const auto n = static_cast<std::size_t>(std::strtoul(path.c_str(), nullptr, 10));
    if (n >= texts.size()) return base::system_error(path, 2);
    return texts[n];
  };
  const auto set = job::parse_job_text(texts[0], "0", env);
  if (set) return 0;
  const auto& place = set.error().place;
  if (!place || place->column < 1 || place->column > static_cast<int>(place->line_text.size()) + 1) std::abort();
  return 0;
}
