// A result as one page of HTML that needs nothing else: no network, no other file, no server. Problem: people judge a
// distribution by eye, and the field leaves pictures to scripts that want an interpreter, libraries and the raw logs.
// Choice: tables are static HTML, whole without a script (continuous integration servers forbid them) and in print; the
// plots are drawn over them by uPlot (third_party/uplot) from the result itself, which the page carries as JSON (packed.h)
// and gives back, so that the page is a result too. A content policy lets the page's own two scripts run, by their hashes, and nothing else:
// a name from a job or a host cannot become code even if it became markup.
// Pure. Source: W3C Content Security Policy 3; HTML, 4.12.1 (a script of another type is data).
#pragma once
#include <string>
#include <vector>

#include "result/stored.h"

namespace fathom::report::page {

struct Section {
  std::string title;
  const result::Stored* stored = nullptr;
};

std::string title_of(const result::Stored& stored);  // "randread on host", "Sweep of job.fio"
std::string page_of(const std::vector<Section>& sections);
std::string of_one(const result::Stored& stored);

}  // namespace fathom::report::page
