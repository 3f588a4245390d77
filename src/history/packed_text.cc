// One call of zlib each: the length is stored next to the bytes.
#include "history/packed_text.h"

#include <zlib.h>

namespace fathom::history {

std::string packed(std::string_view text) {
  std::string out(::compressBound(text.size()), '\0');
  auto size = static_cast<uLongf>(out.size());
  ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(),
              Z_DEFAULT_COMPRESSION);
  out.resize(size);
  return out;
}

std::optional<std::string> unpacked(std::string_view bytes, std::size_t length) {
  if (length > kMostResult_bytes) return std::nullopt;
  std::string out(length, '\0');
  auto size = static_cast<uLongf>(length);
  const int code = ::uncompress(reinterpret_cast<Bytef*>(out.data()), &size,
                                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  if (code != Z_OK || size != length) return std::nullopt;
  return out;
}

}  // namespace fathom::history
