// What a job is called and how often it exists.
#include "job/rows.h"

namespace fathom::job {
namespace {

constexpr Choice kKbBases[] = {{"1024", 1024, "k is 1024 bytes"}, {"1000", 1000, "k is 1000 bytes, kib is 1024"}};

constexpr Option kRows[] = {
    text<&Job::name>({.name = "name", .help = "Name of this job; on the command line it starts a job"}),
    text<&Job::description>({.name = "description", .help = "Text that describes the job"}),
    count<&Job::loops>({.name = "loops", .fallback = "1", .help = "How many times the job is run"}, 1, kMaxU32),
    count<&Draft::numjobs>(
        {.name = "numjobs", .fallback = "1", .help = "How many copies of this job run at the same time"}, 1, kMaxU32),
    choice<&Draft::kb_base>({.name = "kb_base",
                             .fallback = "1024",
                             .help = "What k counts in sizes",
                             .status = Status::partial,
                             .note = "how values are read; reports always show both units"},
                            kKbBases),
};

}  // namespace

std::span<const Option> description_options() { return kRows; }

}  // namespace fathom::job
