// A block that came back wrong is read once more by a descriptor of its own, from the page cache or past it: what is
// wrong there and right below was not lost by the storage. Any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/target.h"

namespace fathom::run {

// Empty: it cannot be read so (no file, no O_DIRECT there, not aligned to 512 bytes, an error).
std::vector<std::byte> read_again(const io::Target& target, std::uint64_t offset, std::size_t length,
                                  bool past_the_cache);

}  // namespace fathom::run
