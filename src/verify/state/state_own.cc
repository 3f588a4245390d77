// See state_own.h. All words have 64 bits: magic, number of words, the payload's checksum, generation, flags, depth,
// the four counts, the four lists. The last word is the CRC32C of everything before it.
#include "verify/state/state_own.h"

#include <algorithm>
#include <cstring>

#include "verify/digest/crc.h"

namespace fathom::verify::state {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint64_t kOwnMagic = 0x31746174536d6866;  // "fhmStat1"
constexpr std::size_t kLists = 4, kHead = 6 + kLists;

base::Error damaged(const char* cause) {
  return {base::ErrorKind::io,
          "verify state is corrupt",
          cause,
          "remove the file and repeat the writing job, which saves the state again",
          {},
          0};
}

std::uint64_t checksum(const Words& words, std::size_t count) {
  return digest::crc32c(std::as_bytes(std::span(words).first(count)));
}

// Returns the lists if their counts add up to the remaining words.
std::optional<OwnRun> lists_in(const Words& words) {
  std::uint64_t left = words.size() - kHead - 1;
  for (std::size_t i = 0; i < kLists; ++i) {
    const std::uint64_t count = words[kHead - kLists + i];
    if (count > left) return std::nullopt;
    left -= count;
  }
  if (left != 0) return std::nullopt;
  OwnRun own;
  Words* const lists[kLists] = {&own.in_flight, &own.failed, &own.disordered, &own.first};
  auto at = words.begin() + kHead;
  for (std::size_t i = 0; i < kLists; ++i) {
    const auto end = at + static_cast<std::ptrdiff_t>(words[kHead - kLists + i]);
    lists[i]->assign(at, end);
    at = end;
  }
  own.generation = words[3];
  own.flags = words[4];
  own.depth = words[5];
  return own;
}

}  // namespace

std::uint64_t request_hash(std::uint64_t target, std::uint64_t offset, std::uint64_t length) {
  std::uint64_t hash = 0x9e3779b97f4a7c15;
  for (const std::uint64_t part : {target, offset, length}) {
    hash = (hash ^ part) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 31;
  }
  return hash | 1;
}

std::vector<std::byte> format_own(const OwnRun& own, std::uint32_t payload_checksum) {
  Words words{kOwnMagic, 0, payload_checksum, own.generation, own.flags, own.depth};
  const Words* const lists[kLists] = {&own.in_flight, &own.failed, &own.disordered, &own.first};
  for (const Words* list : lists) words.push_back(list->size());
  for (const Words* list : lists) words.insert(words.end(), list->begin(), list->end());
  words[1] = words.size() + 1;
  words.push_back(checksum(words, words.size()));
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

base::Expected<std::optional<OwnRun>> parse_own(std::span<const std::byte> behind, std::uint32_t payload_checksum) {
  Words words(behind.size() / sizeof(std::uint64_t));
  if (!words.empty()) std::memcpy(words.data(), behind.data(), words.size() * sizeof(std::uint64_t));
  if (words.empty() || words[0] != kOwnMagic) return std::optional<OwnRun>();
  if (words.size() < kHead + 1 || words[1] > words.size() || words[1] < kHead + 1)
    return damaged("fathom's part after fio's part is truncated");
  words.resize(words[1]);
  if (words.back() != checksum(words, words.size() - 1) || words[2] != payload_checksum)
    return damaged("the checksum of fathom's part after fio's part does not match");
  auto own = lists_in(words);
  if (!own) return damaged("the lists in fathom's part after fio's part do not fit");
  return own;
}

}  // namespace fathom::verify::state
