// Relevant lines: `name: …`, `ID: …`, `field:TYPE NAME; offset:N; size:N; signed:N;`.
#include "pmu/trace/event_format.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/text/parse.h"
#include "host/proc/text_file.h"

namespace fathom::pmu::trace {
namespace {

constexpr std::size_t kMostBytes = 1 << 16;  // the maximum of a perf record

base::Error unexpected(std::string_view line) {
  base::Error e;
  e.kind = base::ErrorKind::io;
  e.what = "tracepoint format: cannot read `" + std::string(line.substr(0, 80)) + "`";
  e.cause = "the kernel's description of this event is not supported";
  return e;
}

std::optional<std::string_view> after(std::string_view line, std::string_view word) {
  const auto at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  line.remove_prefix(at + word.size());
  return base::text::trim(line.substr(0, line.find(';')));
}

std::optional<std::size_t> number_after(std::string_view line, std::string_view word, std::int64_t most) {
  const auto text = after(line, word);
  if (!text) return std::nullopt;
  const auto value = base::text::parse_int(*text);
  if (!value || *value < 0 || *value > most) return std::nullopt;
  return static_cast<std::size_t>(*value);
}

// "char rwbs[10]" is field rwbs of type char[10].
bool split_declaration(std::string_view text, TraceField& field) {
  std::string_view array;
  if (const auto bracket = text.find('['); bracket != std::string_view::npos) {
    const auto close = text.find(']', bracket);
    if (close == std::string_view::npos) return false;
    if (close + 1 == text.size()) {
      array = text.substr(bracket);
      text = base::text::trim(text.substr(0, bracket));
    }
  }
  const auto space = text.find_last_of(" *");
  if (space == std::string_view::npos || space + 1 == text.size()) return false;
  field.name = std::string(text.substr(space + 1));
  field.type = std::string(base::text::trim(text.substr(0, space + 1))) + std::string(array);
  return true;
}

std::optional<TraceField> parse_field(std::string_view line) {
  TraceField field;
  const auto declaration = after(line, "field:");
  const auto offset = number_after(line, "offset:", kMostBytes), size = number_after(line, "size:", kMostBytes),
             is_signed = number_after(line, "signed:", 1);
  if (!declaration || !offset || !size || !is_signed || !split_declaration(*declaration, field)) return std::nullopt;
  field.offset = *offset;
  field.size = *size;
  field.is_signed = *is_signed != 0;
  return field;
}

}  // namespace

const TraceField* EventFormat::find(std::string_view field) const {
  const auto at = std::find_if(fields.begin(), fields.end(), [&](const auto& f) { return f.name == field; });
  return at == fields.end() ? nullptr : &*at;
}

base::Expected<EventFormat> parse_event_format(std::string_view text) {
  EventFormat format;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = base::text::trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.starts_with("name:")) {
      format.name = std::string(*after(line, "name:"));
    } else if (line.starts_with("ID:")) {
      const auto id = number_after(line, "ID:", 0xffff);
      if (!id) return unexpected(line);
      format.id = static_cast<std::uint16_t>(*id);
    } else if (line.starts_with("field:")) {
      auto field = parse_field(line);
      if (!field) return unexpected(line);
      format.fields.push_back(std::move(*field));
    } else if (line.starts_with("print fmt:")) {
      break;
    }
  }
  if (format.name.empty() || format.id == 0 || format.fields.empty()) return unexpected("no name, ID or field");
  return format;
}

base::Expected<EventFormat> load_event_format(const std::string& folder, std::string_view system,
                                              std::string_view event) {
  const std::string path = folder + "/events/" + std::string(system) + "/" + std::string(event) + "/format";
  const std::string text = host::proc::read_text(path);
  if (!text.empty()) return parse_event_format(text);
  base::Error e = base::system_error("read " + path, ENOENT);
  e.cause = "this kernel has no tracepoint " + std::string(system) + ":" + std::string(event) +
            ", or its description cannot be read";
  return e;
}

std::uint64_t read_field(std::span<const std::byte> record, const TraceField& field) {
  if (field.offset + field.size > record.size()) return 0;
  const std::byte* at = record.data() + field.offset;
  const auto as = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<std::uint64_t>(value);
  };
  switch (field.size) {
    case 1:
      return field.is_signed ? as(std::int8_t{}) : as(std::uint8_t{});
    case 2:
      return field.is_signed ? as(std::int16_t{}) : as(std::uint16_t{});
    case 4:
      return field.is_signed ? as(std::int32_t{}) : as(std::uint32_t{});
    case 8:
      return as(std::uint64_t{});
    default:
      return 0;
  }
}

std::string_view read_text(std::span<const std::byte> record, const TraceField& field) {
  if (field.offset + field.size > record.size()) return {};
  const std::string_view whole(reinterpret_cast<const char*>(record.data()) + field.offset, field.size);
  return whole.substr(0, whole.find('\0'));
}

}  // namespace fathom::pmu::trace
