// pmbench cannot tell a hit from a fault, so its accesses are all of one class here and `classified` is off; what a
// file cannot say is said in findings. Our own files hold the whole result in one element.
#include "import/pmbench/pmbench_xml.h"

#include <fmt/format.h>

#include "import/pmbench/pmbench_parts.h"

namespace fathom::import::pmbench {
namespace {

// pmbench before the repair of its /proc/meminfo reader takes fields by their order of before Linux 3.14.
constexpr const char* kMemoryNames =
    "buffer_kib, cache_kib, active_kib and inactive_kib of the memory counters may be MemAvailable, Buffers, "
    "SwapCached "
    "and Active: pmbench reads /proc/meminfo by the order of lines that it had before Linux 3.14";

void note(result::Run& run, const char* id, std::string evidence, std::string remedy) {
  run.findings.push_back({id, result::Severity::note, "", std::move(evidence), std::move(remedy)});
}

void say_what_is_not_known(result::Run& run) {
  const auto& paging = *run.paging;
  if (paging.access == "histogram")
    note(
        run, "import.bins",
        "the file holds counts of pmbench's bins, not latencies: a value is known to its bin (3 to 6 % wide, below 256 "
        "ns one bin, above 8.4 ms one an octave), a mean is of the bins' middles",
        "compare percentiles of imported results with that in mind");
  note(run, "import.classes", "hits, minor and major faults are not told apart in the file: all stand as hits",
       "measure with fathom paging to have them by class");
  if (paging.workers.size() > 1)
    note(run, "import.threads",
         fmt::format("the file has no reads and writes by thread: the samples of its {} threads are split as all were",
                     paging.workers.size()),
         "");
  if (!paging.memory_items.empty() && paging.memory_items.front().windows.empty())
    note(run, "import.meminfo", kMemoryNames, "");
}

// The order of reading is the file's own.
void read_parts(XmlReader& in, pugi::xml_node report, const std::string& file_name, result::Run& run) {
  run.paging.emplace();
  run.paging->imported.emplace();
  run.paging->classified = false;
  run.program.argv = {"fathom", "paging", "--import", file_name};
  read_signature(in, report, run);
  read_machine(in, report, run);
  read_threads(in, report, run);
  read_statistics(in, report, run);
  read_memory(in, report, run);
  if (in.failed()) return;
  if (const auto fathom = report.child("fathom"))
    read_older_fathom(in, fathom, run);
  else
    say_what_is_not_known(run);
}

}  // namespace

base::Expected<result::Run> read_pmbench_xml(std::string_view text, const std::string& file_name) {
  XmlReader in(text, file_name);
  if (text.size() > kMostReportBytes) {
    in.fail({}, fmt::format("more than {} MiB", kMostReportBytes >> 20), "a report is not so long");
    return in.error();
  }
  if (!in.parse()) return in.error();
  const auto root = in.root();
  if (std::string_view(root.name()) != "pmbenchmark") {
    in.fail(root, fmt::format("<{:.40}> is not pmbench's report", root.name()), "its root element is <pmbenchmark>");
    return in.error();
  }
  const auto report = in.need(root, "report");
  result::Run run;
  if (const auto fathom = report.child("fathom"); fathom.attribute("form"))
    read_whole_fathom(in, fathom, run);
  else
    read_parts(in, report, file_name, run);
  if (in.failed()) return in.error();
  return run;
}

}  // namespace fathom::import::pmbench
