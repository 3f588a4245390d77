// libFuzzer: any bytes as a block that was read. The first byte chooses method and layout, the rest is the block. No
// check may look outside the block, and what is found good has to be good again when it is made again from its header.
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "verify/block.h"
#include "verify/fio_lines.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom::verify;
  if (size < 2) return 0;
  const auto& row = methods()[data[0] % methods().size()];
  const std::uint32_t interval = (data[0] & 0x80) != 0 ? 256 : 0;
  std::vector<std::byte> io(size - 1);
  for (std::size_t i = 0; i < io.size(); ++i) io[i] = static_cast<std::byte>(data[i + 1]);
  const Layout layout{
      .method = row.method, .interval = interval, .offset = (data[0] & 0x40) != 0 ? 192u : 0u, .has_pattern = true};
  const std::size_t place[] = {2};
  const auto pattern = row.pattern ? *PatternBytes::make("ab01234567", place) : PatternBytes();
  auto checker = Checker::make(layout, pattern);
  if (!checker) return 0;
  const auto verdict = checker->check(io, {.offset = 0});
  if (!verdict.good() && fio_lines(verdict, {.file = "f", .length = io.size()}).empty()) std::abort();
  if (!verdict.good() || !verdict.header || row.digest == nullptr || verdict.proves_little) return 0;
  auto again = layout;
  again.format = verdict.header->format;
  Sealer::make(again, pattern)->seal(io, facts_of(*verdict.header, layout, verdict.interval));
  if (!checker->check(io, {.offset = 0}).good()) std::abort();
  return 0;
}
