// A long document as a person can review it: JSON and XML of our writers, one key or element a line, and CSV. What fits
// stands on one line; a part that was there before is named and not shown again ("as in PATH"); an XML element <a>1</a>
// is a=1. Every name, value and their order stay, only the places where lines end are lost.
#pragma once
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fathom::report {

class Folded {
 public:
  static constexpr std::size_t kWidth = 180, kWorthNaming = 80;

  // What `known` shows already, and is called `name`, is not shown again.
  void know(const std::string& known, const std::string& name) { (void)rows_of(parse(known), name + ":"); }
  std::string of(const std::string& text) { return rows_of(parse(text), ""); }

 private:
  struct Node {
    std::string head, tail;  // of a leaf the head is all
    std::vector<Node> inside;
    bool leaf = true;
  };

  static bool begins(const std::string& line, const char* with) { return line.rfind(with, 0) == 0; }
  static bool ends(const std::string& line, const char* with) {
    const std::string end(with);
    return line.size() >= end.size() && line.compare(line.size() - end.size(), end.size(), end) == 0;
  }
  static bool is_xml(const std::string& line) { return begins(line, "<"); }
  static bool opens(const std::string& line) {
    if (!is_xml(line)) return ends(line, "{") || ends(line, "[");
    return line.find("</") == line.npos && !ends(line, "/>") && !ends(line, "?>");
  }
  static bool closes(const std::string& line) { return begins(line, "</") || begins(line, "}") || begins(line, "]"); }
  static bool is_row_of_numbers(const std::string& line) {
    return !line.empty() && line.find_first_not_of("0123456789,.") == line.npos;
  }

  // The number of an element is where it stands.
  static std::string without_index(std::string line, std::size_t number) {
    const std::string index = " index=\"" + std::to_string(number) + "\"";
    if (const auto at = line.find(index); is_xml(line) && at != line.npos) line.erase(at, index.size());
    return line;
  }
  static std::string shortened(const std::string& line) {
    const auto end = line.find("</"), value = line.find('>');
    if (!is_xml(line) || end == line.npos || end < value) return line;
    return line.substr(1, value - 1) + "=" + line.substr(value + 1, end - value - 1);
  }

  static Node parse(const std::string& text) {
    Node root{"", "", {}, false};
    std::vector<Node*> open{&root};
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      line.erase(0, line.find_first_not_of(' '));
      if (open.size() > 1 && closes(line)) {
        open.back()->tail = line;
        open.pop_back();
        continue;
      }
      const bool opening = opens(line);
      line = without_index(line, open.back()->inside.size());
      open.back()->inside.push_back({opening ? line : shortened(line), "", {}, !opening});
      if (opening) open.push_back(&open.back()->inside.back());
    }
    return root;
  }

  static std::string inside_of(const Node& node) {
    std::string all;
    for (const auto& part : node.inside) all += " " + line_of(part);
    return all;
  }
  static std::string line_of(const Node& node) {
    return node.leaf ? node.head : node.head + inside_of(node) + " " + node.tail;
  }
  static std::string name_of(const std::string& head) {
    const auto from = head.find_first_not_of("<\"{[ "), to = head.find_first_of("\">", from);
    return from == head.npos ? "" : head.substr(from, to - from);
  }

  std::string rows_of(const Node& root, const std::string& path) {
    rows_.clear();
    add(root, path, 0);
    return rows_;
  }

  // Instead of a part that is known by another place. A part is known from the first time on.
  bool named(const Node& node, const std::string& path, std::string& line) {
    const std::string content = inside_of(node);
    if (content.size() < kWorthNaming) return false;
    const auto [at, fresh] = seen_.try_emplace(content, path);
    if (!fresh) line = node.head + " as in " + at->second + " " + node.tail;
    return !fresh;
  }

  // A brace that opens an element of a list stands before what is in it.
  void put(std::size_t depth, const std::string& row) {
    if (!begun_) rows_ += std::string(depth, ' ');
    begun_ = depth > 0 && row == "{";
    rows_ += row + (begun_ ? " " : "\n");
  }

  void add(const Node& parent, const std::string& path, std::size_t depth) {
    std::string row;
    const auto end_row = [&] {
      if (!row.empty()) put(depth, row);
      row.clear();
    };
    std::size_t number = 0;
    for (const auto& node : parent.inside) {
      const std::string name = name_of(node.head);
      std::string here = path;
      if (depth > 0) {
        if (!here.empty() && !ends(here, ":")) here += ".";
        here += name.empty() ? std::to_string(number) : name;
      }
      ++number;
      std::string line = line_of(node);
      const bool short_form = node.leaf || named(node, here, line);
      if (!short_form && (depth == 0 || depth + line.size() > kWidth)) {
        end_row();
        put(depth, node.head);
        add(node, here, depth + 2);
        put(depth, node.tail);
        continue;
      }
      const bool alone = depth == 0 && !is_row_of_numbers(line);
      if (alone || depth + row.size() + 1 + line.size() > kWidth) end_row();
      row += (row.empty() ? "" : " ") + line;
      if (alone) end_row();
    }
    end_row();
  }

  std::map<std::string, std::string> seen_;
  std::string rows_;
  bool begun_ = false;
};

}  // namespace fathom::report
