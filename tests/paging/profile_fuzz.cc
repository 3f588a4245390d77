// libFuzzer: any bytes as a profile. An error must have a place that lies in the text; what is taken comes back the
// same when it is written and read again, and can be played (an exponent below 0 is one that is not known).
#include <cstdint>
#include <cstdlib>
#include <string>

#include "paging/sources/profile.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  const auto profile =
      fathom::paging::sources::parse_profile({reinterpret_cast<const char*>(data), size}, "fuzz.profile");
  if (!profile) {
    const auto& place = profile.error().place;
    if (!place || place->column < 1 || place->column > static_cast<int>(place->line_text.size()) + 1) std::abort();
    return 0;
  }
  if (profile->working_set_bytes < 4096 || !(profile->zipf_theta >= -1) || profile->hot_move_share > 1) std::abort();
  const std::string text = fathom::paging::sources::write_profile(*profile);
  const auto again = fathom::paging::sources::parse_profile(text, "again");
  if (!again || fathom::paging::sources::write_profile(*again) != text) std::abort();
  return 0;
}
