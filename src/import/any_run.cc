// fathom's JSON has fio's half in it, and is known by its own.
#include "import/any_run.h"

#include "import/fio/fio_json.h"
#include "import/pmbench/pmbench_xml.h"
#include "import/result_json.h"

namespace fathom::import {
namespace {

constexpr const char* kRead = "JSON of fathom and of fio (json, json+) and XML of pmbench are read";

bool is_ours(std::string_view text) {
  return text.find("\"fathom\"") != text.npos && text.find("\"schema_version\"") != text.npos;
}

}  // namespace

base::Expected<result::Run> read_any_run(std::string_view text, const std::string& file_name) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool xml = first != text.npos && text[first] == '<';
  const bool of_fio = !xml && !is_ours(text) && fio::is_fio_json(text);
  auto run = xml      ? pmbench::read_pmbench_xml(text, file_name)
             : of_fio ? fio::read_fio_json(text, file_name)
                      : read_result_json(text, file_name);
  if (run || xml) return run;
  auto error = run.error();
  if (of_fio && error.what == "no JSON document") {  // why not, is known there
    const auto ours = read_result_json(text, file_name);
    if (!ours) error = ours.error();
  }
  if (!error.help.empty()) error.help = kRead;
  return error;
}

}  // namespace fathom::import
