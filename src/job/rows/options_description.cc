// A job's name and number of copies.
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

}  // namespace

std::span<const Row> description_options() { return kDescriptionRows; }

}  // namespace fathom::job
