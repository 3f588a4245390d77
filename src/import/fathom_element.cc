// The element `fathom` of fathom's own files: the complete result by the fields of result/paging_fields.h, and its
// repetitions. If it is complete, pmbench's elements before it are ignored: they are for pmbench's readers. If it has
// an older form, it completes pmbench's elements, and a finding names the omitted data.
#include <algorithm>

#include "import/fathom_fields.h"
#include "import/pmbench/pmbench_parts.h"
#include "result/findings/rows.h"

namespace fathom::import::pmbench {
namespace {

constexpr const char* kLeftOut =
    "an older fathom wrote the file and omitted the series, device times, latencies by thread, the kernel's counters "
    "(vmstat, memory.stat), the audit's cross-checks, Table 2 and repetitions: the run may have had them";

// Refuses values that a run cannot have, because a report computes with them.
void check(XmlReader& in, pugi::xml_node fathom, const result::Paging& paging) {
  constexpr int kMost = 1 << 20;
  int most = std::max(paging.threads, paging.processes);
  for (const auto& worker : paging.workers) {
    most = std::max({most, worker.process, worker.thread});
    for (const int cpu : worker.cpus) most = std::max(most, cpu);
  }
  if (most > kMost)
    in.fail(fathom, fmt::format("process, thread or CPU number {} is out of range", most),
            fmt::format("at most {}", kMost));
  if (paging.read_percent < -1 || paging.read_percent > 100)
    in.fail(fathom.child("read_percent"), "<read_percent> is out of range", "-1 (from a trace) to 100");
  if (paging.duration_s < 0) in.fail(fathom.child("duration_s"), "<duration_s> is out of range", "from 0 on");
}

result::Run read_run(XmlReader& in, pugi::xml_node node, FathomForm& form) {
  result::Run run;
  run.paging.emplace();
  ElementReader reader(in, node, form);
  walk(reader, run);
  check(in, node, *run.paging);
  return run;
}

}  // namespace

void read_whole_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run) {
  const auto number = fathom.attribute("form").value();
  if (to_count(number) != std::uint64_t{result::kXmlForm})
    return in.fail(fathom, fmt::format("<fathom> of form \"{:.40}\"", number),
                   fmt::format("this fathom reads form {} and files without a form", result::kXmlForm));
  FathomForm form;
  run = read_run(in, fathom, form);
  for (const auto node : fathom.child("repetitions").children("repetition")) {
    if (in.failed()) return;
    run.repetitions.push_back(read_run(in, node, form));
  }
  if (run.paging->workers.empty() && run.repetitions.empty())
    in.fail(fathom, "neither <threads> nor <repetitions> in <fathom>", "a damaged file");
}

void read_older_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run) {
  FathomForm form{.whole = false};
  run.program.version = fathom.attribute("version").value();
  run.program.commit = fathom.attribute("commit").value();
  run.paging->imported.reset();
  run.paging->latency = {};
  ElementReader reader(in, fathom, form);
  walk(reader, run);
  check(in, fathom, *run.paging);
  run.time_epoch_ms = run.paging->start_epoch_ms;
  if (run.audit) run.audit->line = fathom.child_value("audit");
  run.findings.push_back(result::findings::found("import.left_out", {.values = {{"what", kLeftOut}}}));
}

}  // namespace fathom::import::pmbench
