// Parsed by hand and without allocation: a trace has one line per access, and the reader must stay ahead of the
// accesses.
#include "paging/sources/trace_text.h"

#include <charconv>

namespace fathom::paging::sources {
namespace {

using Kind = TraceLine::Kind;

struct Letter {
  char letter;
  Kind kind;
  bool size;  // ",8" must follow
};
constexpr Letter kLetters[] = {{'L', Kind::load, true},   {'S', Kind::store, true},  {'M', Kind::modify, true},
                               {'R', Kind::load, false},  {'W', Kind::store, false}, {'r', Kind::load, false},
                               {'w', Kind::store, false}, {'I', Kind::nothing, true}};

const Letter* find(char letter) {
  for (const Letter& row : kLetters)
    if (row.letter == letter) return &row;
  return nullptr;
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// A cursor over the line; an error is reported at its position.
struct Cursor {
  std::string_view line;
  std::size_t at = 0;
  bool end() const { return at == line.size(); }
  void skip_blanks() {
    while (!end() && blank(line[at])) ++at;
  }
  // Returns whether there was a valid number.
  bool number(int base, std::uint64_t& value) {
    const char* const begin = line.data() + at;
    const auto [stop, error] = std::from_chars(begin, line.data() + line.size(), value, base);
    at += static_cast<std::size_t>(stop - begin);
    return error == std::errc();
  }
  TraceLine bad(const char* cause) const { return {Kind::bad, 0, static_cast<int>(at) + 1, cause}; }
};

bool is_message(std::string_view line) { return line.starts_with("==") || line.starts_with("--"); }

}  // namespace

TraceLine parse_trace_line(std::string_view line) {
  if (is_message(line)) return {};
  Cursor cursor{line};
  cursor.skip_blanks();
  if (cursor.end() || line[cursor.at] == '#') return {};
  const Letter* const row = find(line[cursor.at]);
  if (row == nullptr) return cursor.bad("not one of L, S, M, I (lackey) or R, W");
  ++cursor.at;
  if (cursor.end() || !blank(line[cursor.at])) return cursor.bad("a blank must follow the letter");
  cursor.skip_blanks();
  if (line.substr(cursor.at).starts_with("0x")) cursor.at += 2;
  TraceLine access{row->kind, 0, 0, nullptr};
  if (!cursor.number(16, access.address)) return cursor.bad("not an address in hexadecimal, of 64 bits or less");
  const bool size = !cursor.end() && line[cursor.at] == ',';
  if (!size && row->size) return cursor.bad("a comma and the size must follow the address");
  if (size) {
    ++cursor.at;
    std::uint64_t bytes = 0;
    if (!cursor.number(10, bytes)) return cursor.bad("not a size in bytes");
  }
  cursor.skip_blanks();
  if (!cursor.end()) return cursor.bad("unexpected text after the access");
  return access;
}

}  // namespace fathom::paging::sources
