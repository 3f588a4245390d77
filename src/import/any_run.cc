// fathom's JSON contains fio's half too, so it is recognized first, by fathom's own keys.
#include "import/any_run.h"

#include "import/fio/fio_json.h"
#include "import/fio/fio_log.h"
#include "import/fio/fio_terse.h"
#include "import/pmbench/pmbench_xml.h"
#include "import/result_json.h"

namespace fathom::import {
namespace {

bool is_ours(std::string_view text) {
  return text.find("\"fathom\"") != text.npos && text.find("\"schema_version\"") != text.npos;
}

base::Expected<result::Stored> as_stored(base::Expected<result::Run> run) {
  if (!run) return run.error();
  return result::Stored(std::move(*run));
}

}  // namespace

base::Expected<result::Stored> read_any(std::string_view text, const std::string& file_name, const How& how) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '<') return as_stored(pmbench::read_pmbench_xml(text, file_name));
  if (!is_ours(text)) {
    if (fio::is_fio_json(text)) return as_stored(fio::read_fio_json(text, file_name));
    if (fio::is_fio_terse(text)) return as_stored(fio::read_fio_terse(text, file_name));
    if (fio::is_fio_log(text)) return as_stored(fio::read_fio_log(text, file_name, how.log_columns));
  }
  return read_stored(text, file_name);
}

base::Expected<result::Run> read_any_run(std::string_view text, const std::string& file_name, const How& how) {
  auto stored = read_any(text, file_name, how);
  if (!stored) return stored.error();
  if (auto* run = std::get_if<result::Run>(&*stored)) return std::move(*run);
  return not_of_a_run(text, file_name);
}

}  // namespace fathom::import
