// The order of offsets and sizes.
#include "job/fields/offset_choice.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr Choice kGenerators[] = {
    {"tausworthe", int(fields::Generator::tausworthe),
     "taus88, 32 bits: up to 2^32 blocks, beyond that as tausworthe64"},
    {"lfsr", int(fields::Generator::lfsr), "a shift register: every block once per pass, without a map"},
    {"tausworthe64", int(fields::Generator::tausworthe64), "lfsr258, 64 bits"},
};

constexpr std::uint64_t kLargestZone = 1ull << 62;

constexpr Row kOffsetRows[] = {
    choice<&fields::OffsetChoice::generator>(
        {"random_generator", "", "Generator of uniform random offsets; if omitted: fathom's own, xoshiro256++", "",
         "a generator of that kind and period, with other numbers than fio's; with a random map it determines the "
         "map's order"},
        kGenerators),
    count_per_direction<&fields::OffsetChoice::percentage_random>(
        {"percentage_random", "100", "Percentage of a random job's I/Os that are random; the others are sequential"}, 0,
        100),
    boolean<&fields::OffsetChoice::softrandommap>(
        {"softrandommap", "0", "If memory for a random map is missing, run without a map"}),
    boolean<&fields::OffsetChoice::bs_is_seq_rand>(
        {"bs_is_seq_rand", "0", "Use the size for reads for sequential I/Os, and the size for writes for random I/Os"}),
    count<&fields::OffsetChoice::num_range>(
        {"num_range", "1", "Ranges per trim, each of bs= at its own offset; engines that pass commands; 0: as 1"}, 0,
        256),
    bytes<&fields::OffsetChoice::offset_align>(
        {"offset_align", "0", "An offset= in percent is rounded up to a multiple of this; 0: of the smallest bs"}, 0,
        kLargestZone),
    boolean<&fields::OffsetChoice::sequence_stride>(
        {"random_sequence_stride", "0",
         "random_distribution=sequence advances by the length of its list after each pass"}),
    boolean<&fields::SpRandom::used>(
        {"sprandom", "0",
         "Precondition a drive in one pass: some blocks are written twice, and the rest of its "
         "flash contains stale data",
         "", "shares are counts, not probabilities, and close: each block is written at least once"}),
    real<&fields::SpRandom::over_provisioning>(
        {"spr_op", "0.15", "Over-provisioning of the drive, as a share of its size: sprandom writes (1 + it) * size"},
        0, 1),
    count<&fields::SpRandom::regions>(
        {"spr_num_regions", "100", "Regions of sprandom, each with its share of stale blocks"}, 1, 1u << 20),
    bytes<&fields::SpRandom::cache_bytes>(
        {"spr_cs", "0", "Cache of the drive: sprandom writes as many new bytes before it writes blocks again"}, 0,
        kLargestZone),
};

}  // namespace

std::span<const Row> offset_options() { return kOffsetRows; }

}  // namespace fathom::job
