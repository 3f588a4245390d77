// The files are compiled in, and a test reads them. So the functions without an error may rely on them.
#include "pmu/pcie/pcie_dwc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cctype>
#include <map>

#include "base/text/parse.h"
#include "pmu/events/format.h"
#include "pmu/pcie/csv.h"

namespace fathom::pmu::pcie {
namespace {

base::Error wrong_cell(const Table& table, std::size_t row, std::string_view column) {
  base::Error e;
  e.what = fmt::format("line {}: {}: `{}`", table.lines[row], column, table.at(row, column));
  return e;
}

// The fields of one row; keeps the first error.
class Fields {
 public:
  Fields(const Table& table, std::size_t row) : table_(table), row_(row) {}

  const std::string& text(std::string_view column) const { return table_.at(row_, column); }
  unsigned number(std::string_view column, unsigned most) {
    const auto value = base::text::parse_int(text(column));
    if (value && *value >= 0 && *value <= most) return static_cast<unsigned>(*value);
    fail(column);
    return 0;
  }
  bool one_of(std::string_view column, std::string_view yes, std::string_view no) {
    if (text(column) != yes && text(column) != no) fail(column);
    return text(column) == yes;
  }
  void fail(std::string_view column) {
    if (!error_) error_ = wrong_cell(table_, row_, column);
  }
  const std::optional<base::Error>& error() const { return error_; }

 private:
  const Table& table_;
  std::size_t row_;
  std::optional<base::Error> error_;
};

template <class Row>
base::Expected<std::vector<Row>> read_all(std::string_view csv, Row (*read)(Fields&)) {
  const auto table = parse_csv(csv);
  if (!table) return table.error();
  std::vector<Row> rows;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    Fields fields(*table, row);
    rows.push_back(read(fields));
    if (fields.error()) return *fields.error();
  }
  return rows;
}

DwcEvent read_event(Fields& f) {
  DwcEvent e;
  e.time_based = f.one_of("kind", "time_based", "event_counter");
  e.group = f.number("group", 7);
  e.number = f.number("event_hex", 0xff);
  e.name = f.text("event_name");
  e.note = f.text("note");
  e.what = f.text("what");
  e.counter = f.text("counter_width_desc");
  if (!f.text("unit_bytes").empty()) e.unit_bytes = f.number("unit_bytes", 64);
  e.eventid = f.number("mainline_config_eventid", 0xffff);
  e.type = f.number("mainline_config_type", 1);
  e.alias = f.text("mainline_alias");
  if (f.text("remark") != "reserved") e.contradiction = f.text("remark");
  if (e.name.empty()) f.fail("event_name");
  if (e.what.empty() != (e.name == "Reserved")) f.fail("what");
  return e;
}

DwcGroup read_group(Fields& f) {
  DwcGroup g;
  g.time_based = f.one_of("kind", "time_based", "event_counter");
  g.group = f.number("group", 7);
  g.title = f.text("title");
  g.what = f.text("what");
  g.contradiction = f.text("contradiction");
  g.per_lane = f.one_of("per_lane", "yes", "no");
  g.counter_bits = f.number("counter_bits", 64);
  return g;
}

template <class Row>
std::vector<Row> embedded(std::string_view file, base::Expected<std::vector<Row>> (*parse)(std::string_view)) {
  auto rows = parse(event_file(file));
  assert(rows.ok());
  return rows ? std::move(*rows) : std::vector<Row>();
}

std::optional<std::uint64_t> term(std::string_view terms, std::string_view name) {
  for (const auto& one : events::split_terms(terms))
    if (one.name == name) return events::parse_number(one.value);
  return std::nullopt;
}

bool has_term(std::string_view terms, std::string_view name) {
  const auto all = events::split_terms(terms);
  return std::any_of(all.begin(), all.end(), [&](const events::Term& one) { return one.name == name; });
}

using ByLetters = std::map<std::string, const DwcEvent*, std::less<>>;
const ByLetters& by_letters() {
  static const ByLetters kAll = [] {
    ByLetters all;
    for (const auto& event : dwc_events()) {
      if (event.what.empty()) continue;
      all.emplace(letters_of(event.name), &event);
      if (!event.alias.empty()) all.emplace(letters_of(event.alias), &event);
    }
    return all;
  }();
  return kAll;
}

// "rx_memory_write_lane1" is rx_memory_write for one lane.
std::string_view without_lane(std::string_view name) {
  const std::size_t at = name.rfind("_lane");
  const bool numbered = at != std::string_view::npos && at + 5 < name.size() &&
                        name.find_first_not_of("0123456789", at + 5) == std::string_view::npos;
  return numbered ? name.substr(0, at) : name;
}

}  // namespace

base::Expected<std::vector<DwcEvent>> parse_dwc_events(std::string_view csv) { return read_all(csv, read_event); }
base::Expected<std::vector<DwcGroup>> parse_dwc_groups(std::string_view csv) { return read_all(csv, read_group); }

std::span<const DwcEvent> dwc_events() {
  static const auto rows = embedded("dwc_pcie.csv", parse_dwc_events);
  return rows;
}

std::span<const DwcGroup> dwc_groups() {
  static const auto rows = embedded("dwc_pcie_groups.csv", parse_dwc_groups);
  return rows;
}

const DwcGroup& group_of(const DwcEvent& event) {
  const auto groups = dwc_groups();
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const DwcGroup& g) {
    return g.time_based == event.time_based && g.group == event.group;
  });
  assert(found != groups.end());
  return *found;
}

bool is_dwc_pmu(std::string_view pmu) { return pmu.starts_with("pcie_bdf_") || pmu.starts_with("dwc_rootport_"); }

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

// Only event counters have lanes, and numbers from 0x100 on. `type` differs between drivers.
const DwcEvent* dwc_event_of(const events::NamedEvent& event) {
  const auto named = by_letters().find(letters_of(without_lane(event.name)));
  if (named != by_letters().end()) return named->second;
  const auto eventid = term(event.terms, "eventid");
  if (!eventid) return nullptr;
  const bool time_based = *eventid < 0x100 && !has_term(event.terms, "lane");
  const auto all = dwc_events();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const DwcEvent& e) { return e.eventid == *eventid && e.time_based == time_based; });
  return found == all.end() ? nullptr : &*found;
}

unsigned counter_type_of(const events::Source& source) {
  for (const auto& event : source.events) {
    const DwcEvent* dwc = dwc_event_of(event);
    const auto type = term(event.terms, "type");
    if (dwc != nullptr && type) return static_cast<unsigned>(*type) + (dwc->time_based ? 1 : 0);
  }
  return 1;
}

}  // namespace fathom::pmu::pcie
