// A result as one HTML page that needs nothing else: no network, other file or server. Problem: people judge a
// distribution by eye, but the usual tools leave pictures to scripts, which need an interpreter, libraries and the raw
// logs. Choice: tables are static HTML, complete without a script (continuous integration servers forbid scripts) and
// in print. uPlot (third_party/uplot) draws the plots over them from the result itself. The page contains the result as
// JSON (packed.h) and returns it, so the page is a result too. A content policy permits only the page's own two
// scripts, by their hashes: a name from a job or a host cannot become code even if it became markup. Pure. Source: W3C
// Content Security Policy 3; HTML, 4.12.1 (a script of another type is data).
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
