// Encodes a State into bytes, and decodes it. The order of checks: the header, the presence of the payload, its
// checksum, the exact fit of the lists. Memory is allocated only after these checks, and never more than the size of
// the input.
#include "verify/state/state_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text/printable.h"
#include "verify/digest/crc.h"

namespace fathom::verify::state {
namespace {

using Bytes = std::span<const std::byte>;

template <class T>
T get(Bytes bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <class T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

base::Error not_read(std::string what, std::string cause) {
  return {base::ErrorKind::io,
          std::move(what),
          std::move(cause),
          "remove the file and repeat the writing job, which saves the state again",
          {},
          0};
}

base::Error corrupt(std::string cause) { return not_read("verify state is corrupt", std::move(cause)); }

std::uint32_t kept_per_file(const State& state) { return state.kept_per_file != 0 ? state.kept_per_file : state.depth; }

// At most 2^64, as the product of two numbers of 32 bits.
std::uint64_t entries_of(const State& state) {
  return state.lists_offsets() ? std::uint64_t{kept_per_file(state)} * state.files : state.depth;
}

// True if the number of whole entries is the one in the fixed part.
bool fits(const State& state, const StateLayout& layout, std::size_t payload_bytes) {
  const std::size_t room = payload_bytes - layout.entries_at;
  return room % layout.entry_bytes == 0 && room / layout.entry_bytes == entries_of(state);
}

State fixed_part(Bytes payload, const StateLayout& layout, std::uint64_t version) {
  State state;
  state.version = version;
  state.depth = get<std::uint32_t>(payload, layout.depth_at);
  if (layout.kept_per_file_at != kAbsent) state.kept_per_file = get<std::uint32_t>(payload, layout.kept_per_file_at);
  if (layout.files_at != kAbsent) state.files = get<std::uint32_t>(payload, layout.files_at);
  state.writes_issued = get<std::uint64_t>(payload, layout.issued_at);
  state.job_index = get<std::uint64_t>(payload, layout.index_at);
  state.wide_generator = get<std::uint64_t>(payload, layout.wide_at) != 0;
  std::memcpy(state.generator.data(), payload.data() + layout.generator_at, kGeneratorBytes);
  const auto* name = reinterpret_cast<const char*>(payload.data() + layout.name_at);
  state.job_name.assign(name, ::strnlen(name, kNameBytes));
  return state;
}

void read_entries(Bytes entries, std::size_t completions, State& state) {
  if (!state.lists_offsets()) {
    state.slots.resize(state.depth);
    if (!entries.empty()) std::memcpy(state.slots.data(), entries.data(), entries.size());
    return;
  }
  state.completed.reserve(completions);
  for (std::size_t at = 0; state.completed.size() < completions; at += 2 * sizeof(std::uint64_t))
    state.completed.push_back({get<std::uint64_t>(entries, at), get<std::uint64_t>(entries, at + 8)});
}

base::Expected<State> parse_payload(Bytes payload, const StateLayout& layout, std::uint64_t version) {
  if (payload.size() < layout.entries_at) return corrupt(fmt::format("{} bytes are too few for a job", payload.size()));
  State state = fixed_part(payload, layout, version);
  if (!fits(state, layout, payload.size()))
    return corrupt(fmt::format("{} entries do not fit in {} bytes", entries_of(state), payload.size()));
  const auto completions = layout.lists_offsets() ? get<std::uint64_t>(payload, layout.completions_at) : 0;
  if (completions > entries_of(state))
    return corrupt(fmt::format("{} completions in {} entries", completions, entries_of(state)));
  read_entries(payload.subspan(layout.entries_at), completions, state);
  return state;
}

void write_fixed_part(const State& state, const StateLayout& layout, std::span<std::byte> payload) {
  put(payload, layout.depth_at, state.depth);
  if (layout.files_at != kAbsent) put(payload, layout.files_at, state.files);
  if (layout.lists_offsets()) put(payload, layout.completions_at, std::uint64_t{state.completed.size()});
  put(payload, layout.issued_at, state.writes_issued);
  put(payload, layout.index_at, state.job_index);
  put(payload, layout.wide_at, std::uint64_t{state.wide_generator});
  std::memcpy(payload.data() + layout.generator_at, state.generator.data(), kGeneratorBytes);
  std::memcpy(payload.data() + layout.name_at, state.job_name.data(), std::min(state.job_name.size(), kNameBytes - 1));
}

void write_entries(const State& state, std::span<std::byte> entries) {
  std::size_t at = 0;
  for (const CompletedWrite& write : state.completed) {
    put(entries, at, write.file);
    put(entries, at + 8, write.offset);
    at += 16;
  }
  if (state.lists_offsets()) return;
  std::memset(entries.data(), 0xff, entries.size());
  for (const std::uint64_t number : state.slots) {
    put(entries, at, number);
    at += 8;
  }
}

// Empty: the state can be written.
std::string cause_not_written(const State& state) {
  if (state.version != kStateOfFio333 && state.version != kStateOfFio342)
    return fmt::format("version {} cannot be written, only 3 and 5", state.version);
  const bool offsets = state.lists_offsets();
  if (offsets ? !state.slots.empty() : !state.completed.empty())
    return fmt::format("version {} has no room for {}", state.version, offsets ? "slots" : "completions");
  if (offsets && kept_per_file(state) != state.depth) return "version 3 keeps as many entries of a file as the depth";
  const std::size_t used = offsets ? state.completed.size() : state.slots.size();
  if (used > entries_of(state)) return fmt::format("{} entries, with room for {}", used, entries_of(state));
  const std::uint64_t entry_bytes = layout_of(state.version)->entry_bytes;
  if (entries_of(state) > (kStateBytesMost - 1024) / entry_bytes)
    return fmt::format("{} entries are more than any reader accepts", entries_of(state));
  return {};
}

}  // namespace

bool is_state(std::string_view head) {
  constexpr std::uint64_t kVersionsMost = 255;  // no text begins with such a number
  const Bytes bytes = std::as_bytes(std::span(head));
  if (bytes.size() < StateHeader::kBytes) return false;
  const auto version = get<std::uint64_t>(bytes, StateHeader::kVersionAt);
  return version > 0 && version <= kVersionsMost && get<std::uint64_t>(bytes, StateHeader::kChecksumAt) >> 32 == 0;
}

base::Expected<State> parse_state(std::span<const std::byte> file) {
  if (file.size() < StateHeader::kBytes)
    return not_read("failed reading verify state header", fmt::format("the file has {} bytes", file.size()));
  const auto version = get<std::uint64_t>(file, StateHeader::kVersionAt);
  const StateLayout* layout = layout_of(version);
  if (layout == nullptr)
    return not_read(fmt::format("unsupported ({}) version in verify state header", version),
                    "versions 3 to 7 can be read");
  const auto bytes = get<std::uint64_t>(file, StateHeader::kBytesAt);
  if (bytes > file.size() - StateHeader::kBytes)
    return not_read(
        "failed reading verity state",  // fio's spelling
        fmt::format("the header states {} bytes, the file has {}", bytes, file.size() - StateHeader::kBytes));
  if (bytes > kStateBytesMost) return not_read("failed reading verity state", "the file is larger than any state");
  const Bytes payload = file.subspan(StateHeader::kBytes, bytes);
  const auto stored = get<std::uint64_t>(file, StateHeader::kChecksumAt);
  if (const std::uint32_t sum = digest::crc32c(payload); sum != stored)
    return corrupt(fmt::format("the checksum is {:#x}, the header states {:#x}", sum, stored));
  auto state = parse_payload(payload, *layout, version);
  if (!state) return state;
  auto own = parse_own(file.subspan(StateHeader::kBytes + bytes), static_cast<std::uint32_t>(stored));
  if (!own) return own.error();
  state->own = std::move(*own);
  return state;
}

base::Expected<std::vector<std::byte>> format_state(const State& state) {
  if (std::string cause = cause_not_written(state); !cause.empty())
    return base::Error{base::ErrorKind::usage, "this verify state cannot be written", std::move(cause), {}, {}, 0};
  const StateLayout& layout = *layout_of(state.version);
  std::vector<std::byte> file(StateHeader::kBytes + layout.entries_at + entries_of(state) * layout.entry_bytes);
  const std::span<std::byte> payload = std::span(file).subspan(StateHeader::kBytes);
  write_fixed_part(state, layout, payload);
  write_entries(state, payload.subspan(layout.entries_at));
  put(file, StateHeader::kVersionAt, state.version);
  put(file, StateHeader::kBytesAt, std::uint64_t{payload.size()});
  const std::uint32_t checksum = digest::crc32c(payload);
  put(file, StateHeader::kChecksumAt, std::uint64_t{checksum});
  if (state.own) {
    const auto own = format_own(*state.own, checksum);
    file.insert(file.end(), own.begin(), own.end());
  }
  return file;
}

std::string of_another_job(const State& state, const std::string& job_name, std::uint64_t job_index) {
  if (state.job_index == job_index && state.job_name == job_name.substr(0, kNameBytes - 1)) return {};
  return fmt::format("the verify state belongs to job {} (index {}), this is job {} (index {})",
                     base::text::printable(state.job_name), state.job_index, base::text::printable(job_name),
                     job_index);
}

}  // namespace fathom::verify::state
