// The formats of `fathom paging`: pure functions of a Run that has `paging`. To add one, add one file and one row in
// format_rows.inc.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "report/formats.h"

namespace fathom::report {

enum class CountAxis { linear, logarithmic, both };
struct PagingTextOptions {
  bool utf8 = true;  // block characters; otherwise all drawings are ASCII
  CountAxis counts = CountAxis::logarithmic;
  std::size_t width = 80;  // columns of drawings; 40 to 200
};
std::string paging_text(const result::Run& run, const PagingTextOptions& options);
std::string paging_text(const result::Run& run);        // the same with its defaults
std::string paging_text_ascii(const result::Run& run);  // without block characters
std::string paging_brief(const result::Run& run);       // only the verdict

// pmbench's own XML report, with an additional element `fathom` at its end.
std::string pmbench_xml(const result::Run& run);
// The export of pmbench's graphing program: parameters, threads, histograms of reads and writes, memory. Each
// repetition is a column ("Trial 1").
std::string pmbench_csv(const result::Run& run);
// The lines of pmbench's text in which scripts search for its numbers: run time and results of each thread, net
// latencies, the histograms' rows.
std::string pmbench_lines(const result::Run& run);

// text, brief, text-ascii, json, json+, xml, csv, pmbench.
std::span<const Format> paging_formats();
const Format* find_paging_format(std::string_view name);

}  // namespace fathom::report
