// Every report format is a pure function of a result. Adding one is one file and one row in format_rows.inc.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result/stored.h"

namespace fathom::report {

#define FATHOM_FORMAT(KIND, TYPE, NAME, RENDER, SUMMARY) std::string RENDER(const result::TYPE&);
#include "report/format_rows.inc"
#undef FATHOM_FORMAT

template <class T>
struct FormatOf {
  std::string_view name;
  std::string_view summary;
  std::string (*render)(const T&);
};
using Format = FormatOf<result::Run>;
std::span<const Format> formats();  // of a run
const Format* find_format(std::string_view name);
std::string described(std::span<const Format> formats);  // for a help: "normal (fio's text report, ...), json (...)"
// Of a run or of paging: whether it is a text for people, whose lines may be broken where a terminal ends.
bool is_for_people(std::string_view format);
// What is drawn on.
struct Canvas {
  bool utf8 = true;  // block characters
  std::size_t width = 80;
};
// Several together, by name, in fio's order: terse, JSON, text. fio's text comes in two halves around the others, as fio
// prints it: a script cuts the JSON out between lines that are a brace alone. What is drawn stands behind all text.
std::string report_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas = {});
// The same once more in one output: without what fio says before it starts.
std::string report_again_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas = {});

// Of whatever a file holds: what made it ("a run", "`fathom clock test`"), its formats, the first being that of a command
// that is not asked, and several of them together.
std::string kind_of(const result::Stored& stored);
std::vector<std::string_view> format_names(const result::Stored& stored);
std::string report_in(std::span<const std::string> formats, const result::Stored& stored, const Canvas& canvas = {});
std::string all_formats();  // "of a run: normal, json ...; of `fathom paging`: ..."

}  // namespace fathom::report
