// Composes fio's error lines from the same parts: the error and its location.
#include "verify/fio_lines.h"

#include <bit>
#include <span>

#include <fmt/format.h>

namespace fathom::verify {
namespace {

std::string requested(const RequestedBlock& io) {
  return fmt::format("requested block: offset={}, length={}", io.offset, io.length);
}

std::string place(const Verdict& verdict, const RequestedBlock& io) {
  return fmt::format("at file {} offset {}, length {}", io.file, verdict.offset, verdict.length);
}

// fio compares the offset with the start of the interval, but prints the start of the I/O.
std::string header_text(const Verdict& v, const RequestedBlock& io) {
  switch (v.flaw) {
    case Flaw::magic:
      return fmt::format("bad magic header {:x}, wanted {:x}", v.found, v.wanted);
    case Flaw::version:
      return fmt::format(
          "unsupported header version {:x}, wanted {:x}. Are you trying to verify across versions of fio?", v.found,
          v.wanted);
    case Flaw::header_crc:
      return fmt::format("bad header crc {:x}, calculated {:x}", v.found, v.wanted);
    case Flaw::offset:
      return fmt::format("bad header offset {}, wanted {}", v.found, io.offset);
    case Flaw::seed:
      return fmt::format("bad header rand_seed {}, wanted {}", v.found, v.wanted);
    default:
      return fmt::format("bad header {} {}, wanted {}", name(v.flaw), v.found, v.wanted);
  }
}

std::string failed(std::string_view method, const Verdict& verdict, const RequestedBlock& io) {
  return fmt::format("{:.8}: verify failed {} ({}, flags={:x})", method, place(verdict, io), requested(io), io.flags);
}

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

std::vector<std::string> digest_lines(const Verdict& verdict, const RequestedBlock& io) {
  const auto& row = row_of(verdict.method);
  std::vector<std::string> lines = {
      failed(row.name, verdict, io),
      fmt::format("       Expected CRC: {}", hex(std::span(verdict.digest_stored).first(row.field))),
      fmt::format("       Received CRC: {}", hex(std::span(verdict.digest_of_data).first(row.field)))};
  const auto given = static_cast<unsigned>(row.method);
  if (verdict.header && verdict.header->type != given)
    lines.push_back(fmt::format("fio: verify type mismatch ({} media, {} given)", verdict.header->type, given));
  return lines;
}

std::vector<std::string> pattern_lines(const Verdict& verdict, const RequestedBlock& io) {
  return {fmt::format("fio: got pattern '{:02x}', wanted '{:02x}'. Bad bits {}", verdict.found, verdict.wanted,
                      std::popcount(verdict.found ^ verdict.wanted)),
          fmt::format("fio: bad pattern block offset {}", verdict.pattern_at), failed("pattern", verdict, io)};
}

std::string zeroes_line(const Verdict& verdict, const RequestedBlock& io) {
  return fmt::format("{} at file {} offset {}, length {}, block offset {}",
                     io.format == Format::fio_3_33 ? "trim: verify failed" : "verify failed for zeroed data", io.file,
                     io.offset, io.length, verdict.pattern_at);
}

}  // namespace

std::vector<std::string> fio_lines(const Verdict& verdict, const RequestedBlock& io) {
  if (verdict.good()) return {};
  if (verdict.of_header())
    return {fmt::format("verify: {} {} ({})", header_text(verdict, io), place(verdict, io), requested(io))};
  if (verdict.flaw == Flaw::digest) return digest_lines(verdict, io);
  if (verdict.flaw == Flaw::pattern) return pattern_lines(verdict, io);
  return {zeroes_line(verdict, io)};
}

std::string fio_dump_line(std::string_view what, std::string_view name) {
  return fmt::format("       {} data dumped as {}", what, name);
}

std::string fio_dump_name(std::string_view file, std::uint64_t offset, std::string_view what) {
  return fmt::format("{}.{}.{}", file.substr(file.rfind('/') + 1), offset, what);
}

}  // namespace fathom::verify
