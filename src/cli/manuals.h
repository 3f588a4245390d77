// The manuals of the commands that have rows (cli/commands.h). Each is defined in its command's file.
// Thread rule: constants; any thread.
#pragma once
#include "options/manual.h"

namespace fathom::cli {

namespace bundle_commands {
const options::Manual& bundle_manual();
const options::Manual& verify_bundle_manual();
const options::Manual& rerun_manual();
}  // namespace bundle_commands

namespace clock_commands {
const options::Manual& clock_test_manual();
const options::Manual& clock_sources_manual();
const options::Manual& doctor_manual();
}  // namespace clock_commands

namespace history_commands {
const options::Manual& history_list_manual();
const options::Manual& history_show_manual();
const options::Manual& history_add_manual();
const options::Manual& history_tag_manual();
const options::Manual& history_compare_manual();
const options::Manual& history_check_manual();
const options::Manual& history_delete_manual();
}  // namespace history_commands

namespace nvme_commands {
const options::Manual& nvme_list_manual();
const options::Manual& nvme_identify_manual();
const options::Manual& nvme_log_manual();
const options::Manual& nvme_setup_manual();
const options::Manual& nvme_bind_manual();
const options::Manual& nvme_unbind_manual();
const options::Manual& nvme_perf_manual();
const options::Manual& nvme_serve_manual();
}  // namespace nvme_commands

namespace paging_commands {
const options::Manual& paging_cleanup_manual();
}  // namespace paging_commands

namespace pmu_commands {
const options::Manual& pmu_list_manual();
const options::Manual& pmu_stat_manual();
}  // namespace pmu_commands

namespace report_commands {
const options::Manual& compare_manual();
const options::Manual& report_manual();
}  // namespace report_commands

namespace sweep_commands {
const options::Manual& sweep_manual();
}  // namespace sweep_commands

namespace trace_commands {
const options::Manual& trace_convert_manual();
const options::Manual& trace_summary_manual();
const options::Manual& trace_to_job_manual();
}  // namespace trace_commands

const options::Manual& run_manual();

}  // namespace fathom::cli
