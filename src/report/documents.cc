// The JSON of every document, from its list of fields.
#include "report/document.h"

#include "report/formats.h"

namespace fathom::report {

std::string clock_test_json(const result::ClockTest& test) { return document(test); }
std::string clock_sources_json(const result::ClockSources& sources) { return document(sources); }
std::string doctor_json(const result::Doctor& doctor) { return document(doctor); }
std::string compare_json(const result::Compare& compare) { return document(compare); }
std::string history_list_json(const result::HistoryList& list) { return document(list); }
std::string history_check_json(const result::HistoryCheck& check) { return document(check); }
std::string sweep_json(const result::Sweep& sweep) { return document(sweep); }
std::string nvme_list_json(const result::NvmeList& list) { return document(list); }
std::string nvme_identify_json(const result::NvmeIdentify& id) { return document(id); }
std::string bundle_check_json(const result::BundleCheck& check) { return document(check); }
std::string nvme_log_json(const result::NvmeLog& page) { return document(page); }

}  // namespace fathom::report
