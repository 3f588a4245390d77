// fio's iolog, version 3, as text.
#include "trace/iolog_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text/printable.h"

namespace fathom::trace {
namespace {

constexpr std::size_t kPiece_bytes = std::size_t{64} << 10;
constexpr std::uint64_t kMicrosecond_ns = 1000;
constexpr std::string_view kWords[] = {"read", "write", "trim", "sync", "datasync", "add", "open", "close"};

void append_number(std::string& out, std::uint64_t value) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace

std::string_view action_word(Action action) { return kWords[static_cast<std::size_t>(action)]; }

void append_iolog_line(std::string& out, std::uint64_t time_us, std::string_view file, Action action,
                       std::uint64_t offset_bytes, std::uint64_t length_bytes) {
  append_number(out, time_us);
  out.append(1, ' ').append(file).append(1, ' ').append(action_word(action));
  if (is_io(action)) {
    append_number(out.append(1, ' '), offset_bytes);
    append_number(out.append(1, ' '), length_bytes);
  }
  out.append(1, '\n');
}

base::Expected<void> check_iolog_name(std::string_view file) {
  constexpr std::size_t kMost = 255;  // fio reads a name into 256 bytes
  const bool is_blank = std::any_of(file.begin(), file.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte == 0x7f;
  });
  if (!file.empty() && file.size() <= kMost && !is_blank) return {};
  const auto* cause = file.empty() ? "the name is empty"
                      : is_blank   ? "the log separates its columns by blanks, and fio cannot read such a name back"
                                   : "fio reads 255 bytes of a name";
  return base::Error{.what = fmt::format("file `{}` cannot be written to an iolog", base::text::printable(file)),
                     .cause = cause,
                     .help = "give the file a name without blanks, of 255 bytes at most"};
}

IologWriter::IologWriter(Sink sink) : sink_(std::move(sink)), text_(kIologHeader) { text_.reserve(2 * kPiece_bytes); }

base::Expected<void> IologWriter::hand_out(std::size_t from_bytes) {
  if (text_.size() < from_bytes || text_.empty()) return {};
  auto written = sink_(text_);
  text_.clear();
  return written;
}

void IologWriter::line(std::uint64_t time_us, std::string_view file, Action action, std::uint64_t offset_bytes,
                       std::uint64_t length_bytes) {
  append_iolog_line(text_, time_us, file, action, offset_bytes, length_bytes);
  ++lines_;
}

void IologWriter::file_action(std::uint64_t time_us, std::string_view name, File& file, Action action) {
  if (action == Action::add && file.is_added) return;  // fio ignores another one
  if (action == Action::close && file.opens == 0) return;
  if (action != Action::add && !file.is_added) file_action(time_us, name, file, Action::add);
  file.is_added = true;
  if (action == Action::open) ++file.opens;
  if (action == Action::close) --file.opens;
  line(time_us, name, action);
}

base::Expected<void> IologWriter::write(const Event& event, const std::vector<std::string>& files) {
  if (event.is_wait) return {};  // the times of what follows have it
  if (states_.size() < files.size()) states_.resize(files.size());
  auto& file = states_[event.file];
  const auto& name = files[event.file];
  const auto time_us = event.time_ns / kMicrosecond_ns;
  cut_times_ += event.time_ns % kMicrosecond_ns != 0 ? 1 : 0;
  last_us_ = std::max(last_us_, time_us);
  if (!is_io(event.action)) {
    file_action(time_us, name, file, event.action);
    return hand_out(kPiece_bytes);
  }
  if (file.opens == 0) file_action(time_us, name, file, Action::open);
  if (event.flush_first) {
    line(time_us, name, Action::sync);
    ++added_syncs_;
  }
  lost_fua_ += event.forced_unit_access ? 1 : 0;
  line(time_us, name, event.action, event.offset_bytes, event.length_bytes);
  return hand_out(kPiece_bytes);
}

base::Expected<void> IologWriter::finish(const std::vector<std::string>& files) {
  for (std::size_t i = 0; i < states_.size(); ++i)
    while (states_[i].opens > 0) file_action(last_us_, files[i], states_[i], Action::close);
  return hand_out(0);
}

}  // namespace fathom::trace
