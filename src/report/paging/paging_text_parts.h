// The pieces of the text of `fathom paging`. Every piece ends with a newline or is empty. Tables are at
// most 80 characters wide.
#pragma once
#include <string>

#include "report/paging_formats.h"
#include "result/result.h"

namespace fathom::report::paging {

std::string paging_head(const result::Run& run);
std::string paging_score_line(const result::Paging& paging);
std::string paging_classes(const result::Paging& paging);
std::string paging_thresholds(const result::Paging& paging);
std::string paging_charts(const result::Paging& paging, const PagingTextOptions& o);
std::string paging_threads(const result::Paging& paging);
std::string paging_devices(const result::Paging& paging);
std::string paging_watching(const result::Run& run);
std::string paging_series(const result::Paging& paging, const PagingTextOptions& o);
std::string paging_counters(const result::Paging& paging);
std::string paging_pressure(const result::Paging& paging);
std::string paging_memory(const result::Paging& paging);
std::string paging_table2(const result::Paging& paging);

}  // namespace fathom::report::paging
