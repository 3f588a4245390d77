// fio's iolog, versions 2 and 3. A line of version 3 is `USEC FILE ACTION [OFFSET LENGTH]`; version 2 has no USEC, but
// `FILE wait N 0`. fio writes a name with spaces bare. So a line is parsed from its right end: what is left between
// the numbers and the time is the name.
// fio appends to a log that exists, so a second header begins another recording, whose times start again. It follows
// the first one here, as in fio. Source: fio's HOWTO, "Trace file format"; fio 3.33 and 3.42 as measured.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "trace/readers/readers.h"
#include "trace/text_reader.h"

namespace fathom::trace::readers {
namespace {

constexpr std::uint64_t kMicrosecond_ns = 1000, kMillisecond_ns = 1'000'000;
constexpr std::string_view kHeader2 = "fio version 2 iolog", kHeader3 = "fio version 3 iolog";

struct ActionRow {
  std::string_view word;
  Action action;
};
constexpr ActionRow kIoActions[] = {{"read", Action::read},
                                    {"write", Action::write},
                                    {"trim", Action::trim},
                                    {"sync", Action::sync},
                                    {"datasync", Action::datasync}};
constexpr ActionRow kFileActions[] = {{"add", Action::add}, {"open", Action::open}, {"close", Action::close}};

template <std::size_t N>
const ActionRow* find_action(const ActionRow (&rows)[N], std::string_view word) {
  for (const auto& row : rows)
    if (row.word == word) return &row;
  return nullptr;
}

// The last word of `rest`, which loses it and the blanks around it.
std::string_view take_last(std::string_view& rest) {
  rest = rest.substr(0, rest.find_last_not_of(" \t") + 1);
  const auto blank = rest.find_last_of(" \t");
  const auto begin = blank == std::string_view::npos ? 0 : blank + 1;
  const auto word = rest.substr(begin);
  rest = rest.substr(0, begin);
  return word;
}

class Iolog final : public TextReader {
 public:
  Iolog(std::unique_ptr<Input> input, bool has_times, WaitMeaning wait)
      : TextReader(std::move(input)), header_(has_times ? kHeader3 : kHeader2), wait_(wait) {
    traits_ = {.format = has_times ? "iolog-3" : "iolog-2",
               .has_times = has_times,
               .time_unit_ns = has_times ? kMicrosecond_ns : kMillisecond_ns,
               .names_files = true};
  }
  std::vector<std::string> notes() const override;

 private:
  base::Expected<bool> parse(std::string_view text, Event& event) override;
  base::Expected<bool> header();
  base::Expected<bool> io(std::string_view columns, Event& event);
  base::Expected<bool> file_action(std::string_view columns, Event& event);
  base::Expected<bool> wait(std::uint64_t number);

  std::string_view header_;
  WaitMeaning wait_;
  std::uint64_t waited_ns_ = 0;  // version 2
  std::uint64_t begun_ns_ = 0;   // version 3: where this recording starts
  std::uint64_t latest_ns_ = 0;  // of this and all earlier recordings
  std::uint64_t recordings_ = 0, second_line_ = 0;
};

base::Expected<bool> Iolog::header() {
  if (stripped(line()) != header_)
    return bad(line(), fmt::format("a header of another version in a log that begins with `{}`", header_));
  if (++recordings_ == 2) second_line_ = line_number();
  begun_ns_ = latest_ns_;
  waited_ns_ = latest_ns_;
  return false;
}

base::Expected<bool> Iolog::parse(std::string_view text, Event& event) {
  text = stripped(text);
  if (text.empty()) return false;
  if (text.starts_with("fio version ")) return header();
  if (recordings_ == 0) return bad(line(), fmt::format("the log does not begin with `{}`", header_));
  auto rest = text;
  if (traits_.has_times) {
    const auto time = take_word(rest);
    std::uint64_t time_us = 0;
    if (!to_number(time, time_us) || time_us > (~begun_ns_) / kMicrosecond_ns)
      return bad(time, fmt::format("`{}` is not a time", time), "a line begins with microseconds");
    event.time_ns = begun_ns_ + time_us * kMicrosecond_ns;
  } else {
    event.time_ns = waited_ns_;
  }
  auto before = rest;
  const bool is_file_action = find_action(kFileActions, take_last(before)) != nullptr;
  return is_file_action ? file_action(rest, event) : io(rest, event);
}

base::Expected<bool> Iolog::file_action(std::string_view columns, Event& event) {
  auto name = columns;
  event.action = find_action(kFileActions, take_last(name))->action;
  name = stripped(name);
  if (name.empty()) return bad(line(), "a file name is missing");
  latest_ns_ = std::max(latest_ns_, event.time_ns);
  if (!set_file(name, event)) return false;
  set_time(event.time_ns, event);
  return true;
}

base::Expected<bool> Iolog::io(std::string_view columns, Event& event) {
  auto name = columns;
  const auto length = take_last(name), offset = take_last(name), word = take_last(name);
  const auto* row = find_action(kIoActions, word);
  const bool waits = word == "wait";
  if (row == nullptr && !waits)
    return bad(word, word.empty() ? std::string("a column is missing") : fmt::format("no action `{}`", word),
               "expected FILE ACTION OFFSET LENGTH");
  if (!to_number(offset, event.offset_bytes))
    return bad(offset, fmt::format("offset `{}` is not a number of bytes", offset));
  if (!to_number(length, event.length_bytes))
    return bad(length, fmt::format("length `{}` is not a number of bytes", length));
  name = stripped(name);
  if (name.empty()) return bad(line(), "a file name is missing");
  if (waits) {
    const auto number = event.offset_bytes;
    event.offset_bytes = event.length_bytes = 0;
    event.action = Action::add;
    event.is_wait = true;
    if (auto waited = wait(number); !waited || !*waited) return waited;
    event.time_ns = waited_ns_;
  } else {
    event.action = row->action;
    if (event.length_bytes > ~event.offset_bytes) return bad(length, "the I/O ends beyond 2^64 bytes");
    if (moves_bytes(event.action) && event.length_bytes == 0) return skip(kZeroLength), false;
    if (!moves_bytes(event.action)) event.length_bytes = 0;
  }
  latest_ns_ = std::max(latest_ns_, event.time_ns);
  if (!set_file(name, event)) return false;
  set_time(event.time_ns, event);
  return true;
}

// False: fio ignores `wait` in version 3.
base::Expected<bool> Iolog::wait(std::uint64_t number) {
  if (traits_.has_times) return skip("wait in version 3"), false;
  const bool since_start = wait_ == WaitMeaning::ms_since_start;
  const auto unit_ns = since_start ? kMillisecond_ns : kMicrosecond_ns;
  const auto from_ns = since_start ? begun_ns_ : waited_ns_;
  if (number > (~from_ns) / unit_ns) return bad(line(), "the wait is longer than 2^64 ns");
  waited_ns_ = from_ns + number * unit_ns;
  return true;
}

std::vector<std::string> Iolog::notes() const {
  auto all = TextReader::notes();
  if (recordings_ > 1)
    all.push_back(fmt::format("the log holds {} recordings (the second begins in line {}): each follows the one before",
                              recordings_, second_line_));
  if (!traits_.has_times)
    all.push_back(wait_ == WaitMeaning::ms_since_start ? "wait counts milliseconds since the start, as fio does"
                                                       : "wait counts microseconds since the previous wait");
  return all;
}

Opened open_iolog(Inputs inputs, bool has_times, WaitMeaning wait) {
  return std::unique_ptr<Reader>(std::make_unique<Iolog>(std::move(inputs.front()), has_times, wait));
}

}  // namespace

bool fits_iolog3(std::string_view head) { return head.starts_with(kHeader3); }
bool fits_iolog2(std::string_view head) { return head.starts_with(kHeader2); }

// `DIRECTION, OFFSET, LENGTH`, with direction 0, 1 or 2.
bool fits_iolog1(std::string_view head) {
  auto line = take(head, '\n');
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::uint64_t number = 0;
  const auto direction = stripped(take(line, ',')), offset = stripped(take(line, ',')), length = stripped(line);
  return to_number(direction, number) && number <= 2 && to_number(offset, number) && to_number(length, number);
}

Opened open_iolog1(Inputs inputs, const OpenOptions&) {
  return base::Error{.kind = base::ErrorKind::not_built,
                     .what = "iolog version 1 is no longer supported",
                     .cause = "its lines have neither times nor file names",
                     .help = "record again: fio writes version 3",
                     .place = base::SourcePlace{.file = inputs.front()->name()}};
}
Opened open_iolog2(Inputs inputs, const OpenOptions& options) {
  return open_iolog(std::move(inputs), false, options.wait);
}
Opened open_iolog3(Inputs inputs, const OpenOptions& options) {
  return open_iolog(std::move(inputs), true, options.wait);
}

}  // namespace fathom::trace::readers
