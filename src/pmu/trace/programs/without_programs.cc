// In the place of split_programs.cc where there was no clang or no libbpf-dev when this program was built.
#include "pmu/trace/programs/split_programs.h"

namespace fathom::pmu::trace::programs {

struct SplitPrograms::State {};

SplitPrograms::SplitPrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
SplitPrograms::~SplitPrograms() = default;

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load(const Wanted&) {
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = "this fathom was built without the programs that look into the kernel",
                     .cause = "clang or libbpf's header was missing when it was built",
                     .help = "install clang-14 and libbpf-dev, and build it anew",
                     .place = std::nullopt};
}

const fathom::split::Region& SplitPrograms::region() const {
  static const fathom::split::Region kNone;
  return kNone;
}
base::Expected<void> SplitPrograms::attach() { return {}; }
void SplitPrograms::detach() {}
bool SplitPrograms::follows_submissions() const { return false; }
bool SplitPrograms::follows_journal() const { return false; }
bool SplitPrograms::follows_log() const { return false; }
std::vector<std::string> SplitPrograms::tracepoints() const { return {}; }
void SplitPrograms::measure(bool) {}
bpf::RunTime SplitPrograms::run_time() const { return {}; }
std::uint64_t SplitPrograms::no_room() const { return 0; }
std::uint64_t SplitPrograms::missed_runs() const { return 0; }

}  // namespace fathom::pmu::trace::programs
