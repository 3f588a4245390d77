// libFuzzer: any bytes as what another program reports: fio's JSON, terse lines and logs, pmbench's XML. What is refused
// has a place that lies in the text; what is read holds together.
#include <cstdint>
#include <string_view>
#include <variant>

#include "import/any_run.h"
#include "import/sound_result.h"

using namespace fathom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* name : {"f_clat.1.log", "f_bw.1.log", "f_clat_hist.1.log"}) {
    const auto stored = import::read_any(text, name);
    if (!stored) {
      import::check(stored.error());
    } else if (const auto* run = std::get_if<result::Run>(&*stored)) {
      import::check(*run);
    }
  }
  return 0;
}
