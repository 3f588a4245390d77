// Bytes as text: standard base64 (RFC 4648, section 4), padded with `=`. Pure; any thread; no errors.
#pragma once
#include <string>
#include <string_view>

namespace fathom::base::text {

std::string base64(std::string_view bytes);

}  // namespace fathom::base::text
