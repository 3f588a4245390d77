// The commands, in the order of the documentation. Those without options are here for their names.
#include "cli/manuals.h"

#include "cli/front_door.h"
#include "job/option.h"
#include "job/switches.h"
#include "options/rows.h"

namespace fathom::cli {
namespace {

using options::Manual;

constexpr const Manual& (*kManuals[])() = {
    run_manual,        clock_test_manual, clock_sources_manual,    nvme_list_manual,    nvme_identify_manual,
    nvme_log_manual,   nvme_setup_manual, nvme_bind_manual,        nvme_unbind_manual,  nvme_perf_manual,
    nvme_serve_manual, paging_run_manual, paging_breakdown_manual, paging_learn_manual, paging_cleanup_manual,
    pmu_list_manual,   pmu_stat_manual,   report_manual,           doctor_manual,       pmbench_manual,
    spdk_manual,
};
constexpr std::string_view kBare[] = {"fathom version",         "fathom help run",       "fathom help paging",
                                      "fathom completion bash", "fathom completion zsh", "fathom completion fish"};

}  // namespace

// A job begins with its name; that is read as an option of the job.
const Manual& run_manual() {
  static constexpr options::Row kName[] = {
      options::noted({"name=NAME", "", "start a job; job options follow (--rw=randread --bs=4k ...)"})};
  static const std::vector<options::Group> groups = [] {
    std::vector<options::Group> all{{"", kName}};
    all.insert(all.end(), job::switches().begin(), job::switches().end());
    return all;
  }();
  static const Manual manual{.command = "fathom run",
                             .usage = "[options] [job options] <job file(s)>",
                             .about = "Runs fio's job files and options.\n",
                             .groups = groups,
                             .beside = job::option_groups()};
  return manual;
}

std::vector<Manual> manuals() {
  std::vector<Manual> all;
  for (const auto& manual : kManuals) all.push_back(manual());
  all.push_back(paging_run_manual());
  all.back().command = "fathom paging run";
  for (const auto command : kBare) all.push_back({.command = command});
  return all;
}

}  // namespace fathom::cli
