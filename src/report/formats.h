// Report formats. Each format is a pure function of a result.
// To add one, add one file, and one row in format_rows.inc.
// Thread rule: any thread. No errors.
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
std::span<const Format> formats();                 // for a run
const Format* find_format(std::string_view name);  // for a run; nullptr: no such format
// List of formats for a help text: "normal (fio's text report, ...), json (...)".
std::string described(std::span<const Format> formats);
// For a format of a run or of paging: true if it is text for people. Such lines may be wrapped at the terminal's width.
bool is_for_people(std::string_view format);
// The output device of a text.
struct Canvas {
  bool utf8 = true;          // use block characters
  std::size_t width = 80;    // columns of plots, and of the texts that are fitted to them
  bool plots = true;         // plots that are a part of a text
  bool is_terminal = false;  // no line may be wider, also of a command that is to be copied
};
// What becomes of a format's text when the text of another result precedes it in one output.
enum class Following {
  whole,               // it follows as it is
  without_first_line,  // that line has the names of columns, which are there once
  never,               // the format ends with its first result
};
Following following(std::string_view format);
// Renders several formats, by name, in fio's order: terse, JSON, text.
// fio's text has two halves, before and after the other formats, as fio prints it.
// A script extracts the JSON between the lines that contain only a brace. Plots follow all text.
// Every name must be a format of the result, which may be of paging.
std::string report_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas = {});
// The same again for one output, without the lines that fio prints before it starts.
std::string report_again_in(std::span<const std::string> formats, const result::Run& run, const Canvas& canvas = {});

// For any result in a file:
//   kind_of()       what produced it ("a run", "`fathom clock test`")
//   format_names()  its formats; the first is the default
//   report_in()     several of its formats together
std::string kind_of(const result::Stored& stored);
std::vector<std::string_view> format_names(const result::Stored& stored);
std::string report_in(std::span<const std::string> formats, const result::Stored& stored, const Canvas& canvas = {});
// The first lines of a text, with the answer; a terminal shows them again below a long text. Empty: it has none.
std::string answer_of(const result::Stored& stored, const Canvas& canvas);
std::string all_formats();  // "of a run: normal, json ...; of `fathom paging`: ..."

}  // namespace fathom::report
