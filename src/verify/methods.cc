// The table of verify methods, and queries on it.
#include "verify/methods.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "verify/digest/digests.h"

namespace fathom::verify {
namespace {

constexpr MethodRow kRows[] = {
    {.name = "meta", .method = Method::meta},
    {.name = "md5", .method = Method::md5, .field = 16, .digest = digest::digest_md5, .openssl = ""},
    {.name = "crc64", .method = Method::crc64, .field = 8, .digest = digest::digest_crc64},
    {.name = "crc32", .method = Method::crc32, .field = 4, .digest = digest::digest_crc32},
    {.name = "crc32c", .method = Method::crc32c, .field = 4, .digest = digest::digest_crc32c},
    {.name = "crc16", .method = Method::crc16, .field = 2, .digest = digest::digest_crc16},
    {.name = "crc7", .method = Method::crc7, .field = 1, .digest = digest::digest_crc7},
    {.name = "sha256", .method = Method::sha256, .field = 64, .digest = digest::digest_sha256, .openssl = ""},
    {.name = "sha512",
     .method = Method::sha512,
     .field = 128,
     .digest = digest::digest_sha512,
     .openssl = "",
     .copy_before_3_39 = true},
    {.name = "sha3-224", .method = Method::sha3_224, .field = 28, .digest = digest::digest_sha3, .openssl = "SHA3-224"},
    {.name = "sha3-256", .method = Method::sha3_256, .field = 32, .digest = digest::digest_sha3, .openssl = "SHA3-256"},
    {.name = "sha3-384", .method = Method::sha3_384, .field = 48, .digest = digest::digest_sha3, .openssl = "SHA3-384"},
    {.name = "sha3-512", .method = Method::sha3_512, .field = 64, .digest = digest::digest_sha3, .openssl = "SHA3-512"},
    {.name = "xxhash", .method = Method::xxhash, .field = 4, .digest = digest::digest_xxhash},
    {.name = "sha1", .method = Method::sha1, .field = 20, .digest = digest::digest_sha1, .openssl = ""},
    {.name = "pattern_hdr", .method = Method::pattern_hdr, .pattern = true},
    {.name = "pattern", .method = Method::pattern, .header = false, .pattern = true},
    {.name = "null", .method = Method::null, .header = false},
};
static_assert(std::all_of(std::begin(kRows), std::end(kRows),
                          [](const MethodRow& row) { return row.field <= kLargestField; }));

// The row of each method, by its number in a header. It is needed several times per block.
constexpr auto kPlaces = [] {
  std::array<std::uint8_t, static_cast<std::size_t>(Method::null) + 1> places{};
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    places[static_cast<std::size_t>(kRows[i].method)] = static_cast<std::uint8_t>(i);
  return places;
}();

template <class Is>
const MethodRow* find_row(Is is) {
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows), is);
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

std::span<const MethodRow> methods() { return kRows; }

const MethodRow& row_of(Method method) { return kRows[kPlaces[static_cast<std::size_t>(method)]]; }

const MethodRow* method_named(std::string_view name) {
  if (name == "crc32c-intel") name = "crc32c";
  return find_row([&](const MethodRow& row) { return row.name == name; });
}

const MethodRow* method_numbered(std::uint64_t type) {
  return find_row([&](const MethodRow& row) { return static_cast<std::uint64_t>(row.method) == type; });
}

base::Expected<HashState> HashState::make(Method method) {
  HashState state;
  const auto& row = row_of(method);
  if (row.openssl == nullptr) return state;
  const auto loaded = digest::libcrypto();
  if (!loaded) return loaded.error();
  state.functions_ = *loaded;
  if (*row.openssl == '\0') return state;
  if (const auto ready = state.prepare(row.openssl); !ready) return ready.error();
  return state;
}

// The context keeps its own reference to the algorithm.
base::Expected<void> HashState::prepare(const char* algorithm) {
  ::EVP_MD* const digest = functions_->md_fetch(nullptr, algorithm, nullptr);
  context_ = {functions_->context_new(), Free{functions_}};
  const bool ready =
      digest != nullptr && context_ != nullptr && functions_->digest_init(context_.get(), digest, nullptr) == 1;
  functions_->md_free(digest);
  if (ready) return {};
  return base::Error{.kind = base::ErrorKind::privilege,
                     .what = fmt::format("OpenSSL does not provide {}", algorithm),
                     .cause = "OpenSSL's configuration or build excludes the algorithm",
                     .help = "verify with another method",
                     .place = std::nullopt};
}

}  // namespace fathom::verify
