// One row per form of output.
#include "cli/report_commands/ours.h"

#include <algorithm>

namespace fathom::cli::report_commands {
namespace {

// After white space and `#`, the file begins with `begins`, and its head contains `holds`. If `begins` is empty, the
// first line contains `holds`.
struct Mark {
  std::string_view begins, holds;
};

constexpr Mark kMarks[] = {
    // documents, results and streams
    {"{", "\"fathom\" : {"},
    {"{", "\"format\" : \"fathom "},
    {"{\"time_epoch_ms\":", ""},
    {"{\"time_s\" : ", "\"events\""},
    {"<!DOCTYPE html>", "content=\"fathom\""},
    {"<?xml", "version_number=fathom "},
    {"HELP fathom_", ""},
    // lines of fields
    {"2;", ";"},
    {"3;fio-3.42;", ""},
    {"4;fio-3.42;", ""},
    {"5;fio-3.42;", ""},
    {"OS/kernel,Swap device,", ""},
    {"curve,setting,load,", ""},
    {"run_id,host,reported_epoch_ms,", ""},
    {"{\"run_id\":", "\"metric\":"},
    {"TYPE fathom_", ""},
    {"[fathom ", ""},
    {"fathom_run", "checks="},
    {"fathom run, checks: ", ""},
    {"count", "run_time_ns"},
    {"time", "run_time_ns"},
    // texts
    {"measured ", "\n  checks "},
    {"measured ", "\n  believe "},  // up to schema 14
    {"details of the run:", ""},
    {"for scripts that read pmbench's lines:", ""},
    {"====", "Latency(us)"},
    {"====", "thread"},
    {"Performance counter stats for ", ""},
    {"time", "counts unit events"},
    {"", "logarithmic counts"},
    {"cross-core clock test: ", ""},
    {"CPU clock: ", "kernel clocksource"},
    {"Cannot tell whether ", " differs from "},
    {"", " is faster than "},
    {"", " is slower than "},
    {"", " points, "},
    {"What was learnt of a process's memory accesses", ""},
    {"No change from ", " to "},
    {"fathom ", "(commit "},
};

// A row of counters without a header line: perf's order of fields, and last the state of the count.
bool is_row_of_counters(std::string_view head) {
  const auto line = head.substr(0, head.find('\n'));
  return !line.empty() && line[0] >= '0' && line[0] <= '9' && line.ends_with("counted") &&
         std::count(line.begin(), line.end(), line[line.size() - std::string_view(",counted").size()]) >= 8;
}

}  // namespace

bool is_ours(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n#"), head.size()));
  if (head.empty() || is_row_of_counters(head)) return true;
  return std::any_of(std::begin(kMarks), std::end(kMarks), [&](const Mark& mark) {
    const auto where = mark.begins.empty() ? head.substr(0, head.find('\n')) : head;
    return head.starts_with(mark.begins) && where.find(mark.holds) != std::string_view::npos;
  });
}

}  // namespace fathom::cli::report_commands
