// A reader of a format with a record per line. A format derives from it and parses one line. Thread rule: one owner.
#pragma once
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/input.h"
#include "trace/ledger.h"
#include "trace/reader.h"

namespace fathom::trace {

class TextReader : public Reader {
 public:
  explicit TextReader(std::unique_ptr<Input> input) : input_(std::move(input)) {}
  base::Expected<bool> next(Event& event) override;
  const Traits& traits() const override { return traits_; }
  const std::vector<std::string>& files() const override { return ledger_.files(); }
  const std::vector<Skipped>& skipped() const override { return ledger_.skipped(); }
  std::uint64_t times_back() const override { return ledger_.times_back(); }
  std::vector<std::string> notes() const override;

 protected:
  // True: `event`, which has its defaults before, is set. False: the line is no record, or was counted as skipped.
  virtual base::Expected<bool> parse(std::string_view line, Event& event) = 0;
  // After the last line, or an error. True: there is another event.
  virtual base::Expected<bool> finish(Event&) { return false; }

  // An error at `part`, a view into the line that is parsed.
  base::Error bad(std::string_view part, std::string what, std::string cause = {}) const;
  void skip(std::string_view reason) { ledger_.skip(reason, input_->lines()); }
  // Sets event.file. False: counted as skipped, because the table of files is full.
  bool set_file(std::string_view name, Event& event);
  // Sets the time of an event. Before: since the start of the trace.
  void set_time(std::uint64_t time_ns, Event& event) { ledger_.time(event.time_ns = time_ns); }
  std::uint64_t line_number() const { return input_->lines(); }
  std::string_view line() const { return line_; }

  std::unique_ptr<Input> input_;
  Ledger ledger_{"line"};
  Traits traits_;

 private:
  std::string_view line_;
  std::optional<base::Error> error_;
};

// The whole text as a number. False: it is not one, is negative, or is too large.
inline bool to_number(std::string_view text, std::uint64_t& value) {
  const auto end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}
// Seconds with up to nine decimals ("12.345678"), as nanoseconds; further decimals are cut.
bool to_ns(std::string_view seconds, std::uint64_t& value_ns);
// The text before the first `separator`, which is removed from `rest` with it. Without one: all.
inline std::string_view take(std::string_view& rest, char separator) {
  const auto at = rest.find(separator);
  const auto part = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return part;
}
// The next word, between spaces and tabs.
std::string_view take_word(std::string_view& rest);
// Without spaces and tabs at both ends.
std::string_view stripped(std::string_view text);

}  // namespace fathom::trace
