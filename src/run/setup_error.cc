// An Error as one line of a record.
#include "run/setup_error.h"

#include <cstring>

#include "run/limits.h"

namespace fathom::run {

void write_down(ErrorRecord& record, const std::string& text) {
  std::strncpy(record.what, text.c_str(), sizeof record.what - 1);
  record.what[sizeof record.what - 1] = 0;
}

void record_setup_error(WorkerRecord& record, const base::Error& error, int other) {
  auto* const at = record.add_error(error.sys_errno != 0 ? error.sys_errno : other);
  if (at == nullptr) return;
  const base::Error whole = with_limits(error);
  std::string text = whole.what;
  if (!whole.cause.empty()) text += ": " + whole.cause;
  if (!whole.help.empty()) text += "; " + whole.help;
  write_down(*at, text);
}

}  // namespace fathom::run
