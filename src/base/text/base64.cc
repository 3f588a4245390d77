// Three bytes are four letters.
#include "base/text/base64.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fathom::base::text {

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(bytes.size(), 3))) {
    const std::size_t n = std::min<std::size_t>(bytes.size(), 3);
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 3; ++i) word = word << 8 | (i < n ? static_cast<unsigned char>(bytes[i]) : 0u);
    for (std::size_t i = 0; i < 4; ++i) out += i <= n ? kLetters[word >> (18 - 6 * i) & 63u] : '=';
  }
  return out;
}

}  // namespace fathom::base::text
