// One pass over the characters: a field ends at a comma or at the end of the line, unless a quote is open.
#include "pmu/pcie/csv.h"

#include <algorithm>

#include "event_files.h"

namespace fathom::pmu::pcie {
namespace {

base::Error at_line(int line, const std::string& what) {
  base::Error e;
  e.what = "line " + std::to_string(line) + ": " + what;
  return e;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  base::Expected<Table> read() {
    Table table;
    while (at_ < text_.size()) {
      const int line = line_;
      auto fields = record();
      if (!fields) return fields.error();
      if (fields->size() == 1 && fields->front().empty()) continue;
      if (table.names.empty()) {
        table.names = std::move(*fields);
        continue;
      }
      if (fields->size() != table.names.size()) {
        return at_line(
            line, std::to_string(fields->size()) + " fields, the header has " + std::to_string(table.names.size()));
      }
      table.rows.push_back(std::move(*fields));
      table.lines.push_back(line);
    }
    if (table.names.empty()) return at_line(1, "no header");
    return table;
  }

 private:
  bool more() const { return at_ < text_.size(); }

  base::Expected<std::vector<std::string>> record() {
    std::vector<std::string> fields;
    while (true) {
      auto field = more() && text_[at_] == '"' ? quoted() : plain();
      if (!field) return field.error();
      fields.push_back(std::move(*field));
      if (!more() || text_[at_++] == '\n') break;
    }
    ++line_;
    return fields;
  }

  // Reads up to the comma or newline, and does not consume it.
  base::Expected<std::string> plain() {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string field(text_.substr(at_, end - at_));
    at_ = end;
    if (field.find('"') != std::string::npos) return at_line(line_, "a quote inside a field without quotes");
    if (!field.empty() && field.back() == '\r') field.pop_back();
    return field;
  }

  base::Expected<std::string> quoted() {
    std::string field;
    const int opened = line_;
    for (++at_; more(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += text_[at_++];
      } else {
        ++at_;
        if (more() && text_[at_] == '\r') ++at_;
        if (more() && text_[at_] != ',' && text_[at_] != '\n') return at_line(line_, "text after a closing quote");
        return field;
      }
    }
    return at_line(opened, "a closing quote is missing");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

const std::string& Table::at(std::size_t row, std::string_view column) const {
  static const std::string kNone;
  const auto found = std::find(names.begin(), names.end(), column);
  return found == names.end() ? kNone : rows[row][static_cast<std::size_t>(found - names.begin())];
}

base::Expected<Table> parse_csv(std::string_view text) { return Reader(text).read(); }

std::string_view event_file(std::string_view name) {
  const auto found = std::find_if(std::begin(kEventFiles), std::end(kEventFiles),
                                  [&](const EventFile& file) { return file.name == name; });
  return found == std::end(kEventFiles) ? std::string_view() : found->text;
}

}  // namespace fathom::pmu::pcie
