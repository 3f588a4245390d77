// Reading again. O_DIRECT wants memory, offset and length aligned.
#include "run/second_look.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/fd.h"

namespace fathom::run {

std::vector<std::byte> read_again(const io::Target& target, std::uint64_t offset, std::size_t length,
                                  bool past_the_cache) {
  constexpr std::size_t kAlignment = 4096, kSector = 512;
  if (target.kind != io::TargetKind::regular && target.kind != io::TargetKind::block) return {};
  if (past_the_cache && (offset % kSector != 0 || length % kSector != 0)) return {};
  const base::UniqueFd fd(::open(target.path.c_str(), O_RDONLY | O_CLOEXEC | (past_the_cache ? O_DIRECT : 0)));
  if (fd.get() < 0) return {};
  const std::size_t room = (length + kAlignment - 1) / kAlignment * kAlignment;
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(kAlignment, room), &std::free);
  if (memory == nullptr) return {};
  if (::pread(fd.get(), memory.get(), length, static_cast<off_t>(offset)) != static_cast<ssize_t>(length)) return {};
  std::vector<std::byte> bytes(length);
  std::memcpy(bytes.data(), memory.get(), length);
  return bytes;
}

}  // namespace fathom::run
