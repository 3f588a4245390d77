// libFuzzer: any bytes as a stored result. What is refused has a place that lies in the text; what is read holds together:
// histograms add up to their moments or are empty, and percentiles rise.
#include <cstdint>
#include <string_view>

#include "import/result_json.h"
#include "import/sound_result.h"

using namespace fathom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto run = import::read_result_json(text, "fuzz.json");
  if (!run) return import::check(run.error()), 0;
  import::check(*run);
  return 0;
}
