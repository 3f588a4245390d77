// Escaping and tables.
#include "report/page/html.h"

#include <fmt/format.h>

#include "base/text/printable.h"

namespace fathom::report::page {

namespace {

std::string without_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) { return without_markup(base::text::printable(text)); }
std::string escaped_lines(std::string_view text) { return without_markup(base::text::printable_lines(text)); }

// JSON has `<` only inside strings, where `\u003c` is equivalent.
std::string in_script(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  }
  return out;
}

Table::Table(std::string_view caption, const std::vector<std::string_view>& heads) {
  if (!caption.empty()) head_ += fmt::format("<caption>{}</caption>", escaped(caption));
  head_ += "<thead><tr>";
  for (auto head : heads) {
    numbers_.push_back(head.starts_with('#'));
    if (numbers_.back()) head.remove_prefix(1);
    head_ += fmt::format("<th scope=\"col\"{}>{}</th>", numbers_.back() ? " class=\"n\"" : "", escaped(head));
  }
  head_ += "</tr></thead>";
}

void Table::row(const std::vector<std::string>& cells, std::string_view target) {
  ++rows_;
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const char* const number = number_class(i);
    const auto head =
        target.empty() ? escaped(cells[i]) : fmt::format("<a href=\"{}\">{}</a>", escaped(target), escaped(cells[i]));
    body_ += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", number, head)
                    : fmt::format("<td{}>{}</td>", number, escaped(cells[i]));
  }
  body_ += "</tr>\n";
}

void Table::cells(const std::vector<Cell>& cells) {
  ++rows_;
  body_ += "<tr>";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& [text, tone, icon] = cells[i];
    const bool toned = *tone != '\0';
    const auto inside =
        toned ? fmt::format("<span aria-hidden=\"true\">{}</span> {}", icon, escaped(text)) : escaped(text);
    const auto attribute = toned ? fmt::format(" class=\"tone {}\"", tone) : number_class(i);
    body_ += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", attribute, inside)
                    : fmt::format("<td{}>{}</td>", attribute, inside);
  }
  body_ += "</tr>\n";
}

std::string Table::html() const {
  return rows_ == 0 ? ""
                    : fmt::format("<div class=\"scroll\"><table>{}<tbody>\n{}</tbody></table></div>\n", head_, body_);
}

}  // namespace fathom::report::page
