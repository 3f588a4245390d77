// A streaming JSON writer with fio's exact bytes, because scripts read them with sed as often as with a parser: `"key"
// : value`, two spaces per indent, braces alone on the first and last line, doubles as %f, integers never as doubles.
// The input must be balanced (asserted). The output is always valid UTF-8 JSON: bytes that are not UTF-8 become U+FFFD
// (file names may have any bytes), and a double that is not a number becomes 0. Not thread-safe; one writer per
// document. On one line, a document has no spaces between its parts: JSON lines have one document per line.
#pragma once
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace fathom::report::parts {

enum class JsonLayout { indented, one_line };

class JsonWriter {
 public:
  explicit JsonWriter(JsonLayout layout = JsonLayout::indented) : one_line_(layout == JsonLayout::one_line) {}

  // Without a key: the document itself, or an element of an array.
  void begin_object() { begin('{'); }
  void begin_object(std::string_view key) { begin(key, '{'); }
  void end_object() { end('}'); }
  void begin_array(std::string_view key) { begin(key, '['); }
  void end_array() { end(']'); }

  void field(std::string_view key, std::string_view value);
  void field(std::string_view key, const char* value) { field(key, std::string_view(value)); }
  void field(std::string_view key, double value);
  void field(std::string_view key, bool value);
  template <std::integral T>
  void field(std::string_view key, T value) {
    name(key);
    integer(value);
  }
  void exact(std::string_view key, double value);        // the shortest digits that read back as the same value
  void null(std::string_view key);                       // unknown; exact() writes it for a value that is not a number
  void element(std::string_view value);                  // of an array
  void pair(std::uint64_t first, std::uint64_t second);  // an element that is an array of two
  void counts(std::string_view key, std::span<const std::uint64_t> values);  // an array on one line
  void exact_element(double value);
  void element(double value);
  template <std::integral T>
  void element(T value) {
    separate();
    integer(value);
  }

  // The document, with a newline at its end. Call it only when every object and array is closed.
  std::string take();

 private:
  void begin(char bracket);
  void begin(std::string_view key, char bracket);
  void end(char bracket);
  void separate();
  void name(std::string_view key);
  void quote(std::string_view text);
  void number(double value);
  void exact_number(double value);
  void integer(std::signed_integral auto value) { out_ += std::to_string(static_cast<long long>(value)); }
  void integer(std::unsigned_integral auto value) { out_ += std::to_string(static_cast<unsigned long long>(value)); }

  std::string out_;
  bool one_line_ = false;
  std::size_t depth_ = 0;
  bool first_ = true;  // nothing yet in the innermost object or array
};

}  // namespace fathom::report::parts
