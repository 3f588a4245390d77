// What the sections of all kinds of results are made of: a badge with the verdict, numbers in large type, headings with
// links to them, and the complete text. Pure.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/headline/verdict.h"
#include "report/page/html.h"
#include "result/finding.h"
#include "result/stored.h"

namespace fathom::report::page::tables {

// How good it is, with the class of its color and the icon for those who do not see colors.
enum class Tone { good, fair, bad, neutral, unknown };
Cell toned(Tone tone, std::string_view word);

// icon: in place of that of the tone. All texts may be of any bytes.
std::string badge(Tone tone, std::string_view word, std::string_view more = "", const char* icon = nullptr);
std::string large_html(const std::vector<headline::NumbersOf>& all, std::size_t more = 0);
std::string paragraph(std::string_view text);
std::string labeled(std::string_view label, std::string_view text);  // <p><b>next</b> ...</p>
std::string list_html(const std::vector<std::string>& items);        // empty: no items
std::string first(std::string inside);                               // the first screen

// place: the part of the result whose figures are drawn here (assets/show.js); kAllParts: those of the whole result.
inline constexpr int kAllParts = -2;
std::string figures(std::size_t number, int place = kAllParts);

std::string section_id(std::string_view name, std::size_t number);

// Sections with headings. The contents above them link to each.
class Sections {
 public:
  explicit Sections(std::size_t number) : number_(number) {}
  void add(std::string_view name, std::string html);  // without HTML: no section
  std::string html() const;

 private:
  std::size_t number_;
  std::vector<std::pair<std::string, std::string>> all_;
};

// A finding as a line that unfolds.
struct FindingLine {
  result::Severity severity = result::Severity::note;
  std::string text, id;    // id: may be empty
  std::string place = {};  // HTML: the attribute that links lead to
};
std::string folded_finding(const FindingLine& finding, const std::string& inside);
// Folded by the script; a page without it, and paper, show it.
std::string folded(const char* kind, std::string_view summary, const std::string& inside);
std::string text_html(const result::Stored& stored);

}  // namespace fathom::report::page::tables
