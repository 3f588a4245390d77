// How large an I/O is, and what it is aligned to.
#include "job/bssplit.h"
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kLargestIo = 1ull << 31;

Outcome read_bsrange(Draft& draft, const Option& option, std::string_view value) {
  std::string_view text = value;
  auto ranges = draft.bsrange;
  const char separator = text.find(',') == std::string_view::npos ? '/' : ',';
  const auto parts = split(text, separator);
  if (parts.size() > io::kDataDirs)
    return Problem{"too many ranges", "there are three directions: read, write and trim",
                   "write `bsrange=1k-4k,8k-32k`", parts[io::kDataDirs], base::ErrorKind::usage};
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto part = parts[d < parts.size() ? d : parts.size() - 1];
    if (part.empty() && parts.size() > 1) continue;
    if (auto problem = read_range(draft, option, part, ranges[d])) return problem;
  }
  draft.bsrange = ranges;
  return {};
}

constexpr Option kRows[] = {
    bytes_per_direction<&Draft::bs>(
        {.name = "bs", .aliases = {"blocksize"}, .fallback = "4k", .help = "Bytes of one I/O"}, 1, kLargestIo),
    special({.name = "bsrange",
             .aliases = {"blocksize_range"},
             .help = "Each I/O's size is drawn from this range; goes before bs"},
            Type::range, read_bsrange, 1, kLargestIo, 0, true),
    special({.name = "bssplit",
             .help = "Sizes with their share in percent: 4k/50:8k/30:16k; those without one share the rest"},
            Type::list, read_bssplit, 1, kLargestIo, 0, true),
    flag<&Job::bs_unaligned>({.name = "bs_unaligned",
                              .aliases = {"blocksize_unaligned"},
                              .help = "Sizes from bsrange need not be multiples of the smallest one"}),
    bytes_per_direction<&Job::blockalign>(
        {.name = "ba",
         .aliases = {"blockalign"},
         .help = "Random offsets are multiples of this (default: the smallest bs); turns norandommap on"},
        1, kLargestIo),
};

}  // namespace

std::span<const Option> block_options() { return kRows; }

}  // namespace fathom::job
