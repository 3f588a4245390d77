// Sizes of I/Os, and their alignment.
#include "job/option.h"
#include "job/values/bssplit.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kLargestIo = 1ull << 31;

Outcome read_bsrange(Draft& draft, const Value& value) {
  auto ranges = draft.bsrange;
  const char separator = value.text.find(',') == std::string_view::npos ? '/' : ',';
  const auto parts = split(value.text, separator);
  if (parts.size() > io::kDataDirs)
    return wrong("too many ranges", "the directions are read, write and trim", "write `bsrange=1k-4k,8k-32k`",
                 parts[io::kDataDirs]);
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto part = parts[d < parts.size() ? d : parts.size() - 1];
    if (part.empty() && parts.size() > 1) continue;
    if (auto problem = read_range(value.part(part), ranges[d].low, ranges[d].high)) return problem;
  }
  draft.bsrange = ranges;
  return {};
}

constexpr Row kBlockRows[] = {
    bytes_per_direction<&Draft::bs>({"bs blocksize", "4k", "Bytes of one I/O"}, 1, kLargestIo),
    special<read_bsrange>({"bsrange blocksize_range", "", "Random size of each I/O, from this range; overrides bs"},
                          Type::range, 1, kLargestIo, 0, true),
    special<values::read_bssplit>(
        {"bssplit", "", "Sizes with their share in percent: 4k/50:8k/30:16k; sizes without a share divide the rest"},
        Type::list, 1, kLargestIo, 0, true),
    flag<&Job::bs_unaligned>(
        {"bs_unaligned blocksize_unaligned", "", "Sizes from bsrange need not be multiples of the smallest one"}),
    bytes_per_direction<&Job::blockalign>(
        {"ba blockalign", "", "Random offsets are multiples of this (default: the smallest bs); turns norandommap on"},
        1, kLargestIo),
};

}  // namespace

std::span<const Row> block_options() { return kBlockRows; }

}  // namespace fathom::job
