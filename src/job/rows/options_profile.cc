// profile=, and the options that only a profile has. A profile replaces jobs (profile.h). Its options are removed
// before a job gets its options. So an option that arrives here was written without a profile.
#include "job/option.h"

namespace fathom::job {
namespace {

Outcome out_of_place(const Targets&, const Value& value) {
  return wrong(fmt::format("`{}` without profile=", value.name()),
               "a profile is set on the command line, or in [global] of a job file without jobs",
               "write for example `--profile=tiobench --size=100`", value.text);
}

constexpr Row of_profile(Texts texts, Type type = Type::text) {
  return special<out_of_place>(texts, type, 0, type == Type::text || type == Type::flag ? 0 : kMaxU32);
}

constexpr Choice kProfiles[] = {{"act", 0, "Aerospike's certification of devices"},
                                {"tiobench", 1, "reads and writes over four files"}};

constexpr Row kProfileRows[] = {
    special<out_of_place>({"profile", "", "Run a set of predefined jobs"}, Type::choice, 0, 0, 0, false, kProfiles),
    of_profile({"device-names", "", "act: devices, separated by commas"}),
    of_profile({"load", "1", "act: load as a multiple of 2000 reads per second"}, Type::count),
    of_profile({"test-duration", "24h", "act: duration"}, Type::duration),
    of_profile({"threads-per-queue", "8", "act: threads per device that read"}, Type::count),
    of_profile({"read-req-num-512-blocks", "3", "act: size of a read, in blocks of 512 bytes"}, Type::count),
    of_profile({"large-block-op-kbytes", "131072", "act: size of a write, in KiB"}, Type::count),
    of_profile({"prep", "", "act: only write the devices, as preparation"}, Type::flag),
    of_profile({"block", "4096", "tiobench: size of a block"}, Type::count),
    of_profile({"numruns", "1", "tiobench: number of passes of each job"}, Type::count),
    of_profile({"dir", "./", "tiobench: directory of its files"}),
};

}  // namespace

std::span<const Row> profile_options() { return kProfileRows; }

}  // namespace fathom::job
