// Writes errors into a record, and reads them back.
#include "run/records/setup_error.h"

#include <cstring>

#include "base/packed.h"
#include "run/records/limits.h"

namespace fathom::run::records {

void write_down(ErrorRecord& record, const std::string& text) {
  std::strncpy(record.what, text.c_str(), sizeof record.what - 1);
  record.what[sizeof record.what - 1] = 0;
}

void tell(WorkerRecord& record, const ErrorRecord& of, const base::Error& error) {
  const auto bytes = base::packed_within(kToldBytes, error);
  std::memcpy(record.told[&of - record.errors], bytes.data(), bytes.size());
}

base::Error told(const WorkerRecord& record, std::size_t index) {
  return base::Unpacker({record.told[index], kToldBytes}).error();
}

void record_setup_error(WorkerRecord& record, const base::Error& error, int other) {
  if (const auto* at = record.add_error(error.sys_errno != 0 ? error.sys_errno : other))
    tell(record, *at, with_limits(error));
}

}  // namespace fathom::run::records
