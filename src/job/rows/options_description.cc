// A job's name and number of copies; and profile=, with the options that only a profile has. A profile replaces jobs
// (profile.h). Its options are removed before a job gets its options. So such an option that arrives here was written
// without a profile.
#include "job/fields/report_as.h"
#include "job/option.h"

namespace fathom::job {
namespace {

constexpr Choice kKbBases[] = {{"1024", 1024, "k is 1024 bytes"}, {"1000", 1000, "k is 1000 bytes, kib is 1024"}};

Outcome read_kb_base(const Targets& targets, const Value& value) {
  int base = 0;
  if (auto problem = read_choice(value, base)) return problem;
  targets.get<Draft>().kb_base = static_cast<decltype(Draft::kb_base)>(base);
  targets.get<fields::ReportAs>().kb_base = static_cast<std::uint32_t>(base);
  return {};
}

constexpr Row kDescriptionRows[] = {
    text<&Job::name>({"name", "", "Name of this job; on the command line it starts a job"}),
    text<&Job::description>({"description", "", "Text that describes the job"}),
    count<&Job::loops>({"loops", "1", "Number of times that the job runs; 0: as 1"}, 0, kMaxU32),
    count<&Draft::numjobs>({"numjobs", "1", "Number of copies of this job that run at the same time; 0: as 1"}, 0,
                           kMaxU32),
    special<read_kb_base>({"kb_base", "1024", "Meaning of k in sizes, and the unit that reports show first"},
                          Type::choice, 0, 0, 0, false, kKbBases),
};

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

std::span<const Row> description_options() { return kDescriptionRows; }
std::span<const Row> profile_options() { return kProfileRows; }

}  // namespace fathom::job
