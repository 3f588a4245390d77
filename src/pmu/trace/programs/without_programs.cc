// Replaces split_programs.cc and device_time_programs.cc if fathom was built without clang or libbpf-dev.
#include "pmu/trace/programs/device_time_programs.h"
#include "pmu/trace/programs/split_programs.h"

namespace fathom::pmu::trace::programs {
namespace {

base::Error built_without() {
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = "this fathom was built without its BPF programs",
                     .cause = "clang or libbpf's header was missing at build time",
                     .help = "install clang-14 and libbpf-dev, and build fathom again",
                     .place = std::nullopt};
}

}  // namespace

struct SplitPrograms::State {};

SplitPrograms::SplitPrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
SplitPrograms::~SplitPrograms() = default;

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load(const Wanted&) { return built_without(); }

base::Expected<std::unique_ptr<SplitPrograms>> SplitPrograms::load_classic(const Wanted&) { return built_without(); }

const char* SplitPrograms::events_by() const { return ""; }
double SplitPrograms::point_ns() const { return 0; }
const fathom::split::Region& SplitPrograms::region() const {
  static const fathom::split::Region kNone;
  return kNone;
}
base::Expected<void> SplitPrograms::attach() { return {}; }
void SplitPrograms::detach() {}
void SplitPrograms::let_go_in_fork() {}
bool SplitPrograms::follows_submissions() const { return false; }
bool SplitPrograms::follows_journal() const { return false; }
bool SplitPrograms::follows_syncs() const { return false; }
bool SplitPrograms::follows_log() const { return false; }
std::vector<std::string> SplitPrograms::tracepoints() const { return {}; }
void SplitPrograms::measure(bool) {}
RunTime SplitPrograms::run_time() const { return {}; }
std::uint64_t SplitPrograms::no_room() const { return 0; }
std::uint64_t SplitPrograms::beyond() const { return 0; }
std::uint64_t SplitPrograms::missed_runs() const { return 0; }

struct DeviceTimePrograms::State {};

DeviceTimePrograms::DeviceTimePrograms(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeviceTimePrograms::~DeviceTimePrograms() = default;

base::Expected<std::unique_ptr<DeviceTimePrograms>> DeviceTimePrograms::load(const TimedDevice&) {
  return built_without();
}

base::Expected<void> DeviceTimePrograms::attach() { return {}; }
void DeviceTimePrograms::detach() {}
void DeviceTimePrograms::choose(std::uint64_t, std::uint64_t) {}
void DeviceTimePrograms::choose_no_more() {}
void DeviceTimePrograms::forget() {}
std::uint64_t DeviceTimePrograms::in_flight() const { return 0; }
std::uint64_t DeviceTimePrograms::passed() const { return 0; }
std::uint64_t DeviceTimePrograms::longest_ns() const { return 0; }
DeviceSums DeviceTimePrograms::sums() const { return {}; }

}  // namespace fathom::pmu::trace::programs
