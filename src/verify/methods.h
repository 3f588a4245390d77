// fio's verify methods, one row each: name in a job, number in a header, size of the field behind the header, and the
// function that computes it. A new method is a row and a function.
// Order on the medium: header, the method's field, data. A hash covers the data from the end of the field to the end of
// the interval. The field has the same bytes as fio's, also where these follow no standard (crc.h, sha.cc).
// fio 3.33 to 3.38 store no hash in sha512's field, but a copy of data: the last (size modulo 128) bytes, then the rest
// of the first 128. fathom can read such data, and the verdict states that it proves almost nothing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "verify/digest/libcrypto.h"

namespace fathom::verify {

enum class Method : std::uint8_t {
  meta = 1,
  md5 = 2,
  crc64 = 3,
  crc32 = 4,
  crc32c = 5,
  crc16 = 7,
  crc7 = 8,
  sha256 = 9,
  sha512 = 10,
  sha3_224 = 11,
  sha3_256 = 12,
  sha3_384 = 13,
  sha3_512 = 14,
  xxhash = 15,
  sha1 = 16,
  pattern_hdr = 17,
  pattern = 18,
  null = 19,
};

inline constexpr std::size_t kLargestField = 128;

// Further state that a hash may need. One owner: created before the start, reused for each block.
class HashState {
 public:
  // Opens OpenSSL and prepares its context if the method needs one.
  static base::Expected<HashState> make(Method method);
  const digest::Libcrypto& functions() const { return *functions_; }
  ::EVP_MD_CTX* context() const { return context_.get(); }

 private:
  struct Free {
    const digest::Libcrypto* functions;
    void operator()(::EVP_MD_CTX* context) const { functions->context_free(context); }
  };
  base::Expected<void> prepare(const char* algorithm);
  const digest::Libcrypto* functions_ = nullptr;
  std::unique_ptr<::EVP_MD_CTX, Free> context_{nullptr, Free{nullptr}};
};

using Digest = void(HashState& state, std::span<const std::byte> data, std::byte* field);

struct MethodRow {
  std::string_view name;
  Method method;
  std::uint8_t field = 0;  // bytes behind the header
  Digest* digest = nullptr;
  bool header = true;             // false: blocks consist of contents only
  bool pattern = false;           // the contents must be a pattern
  const char* openssl = nullptr;  // OpenSSL's name of the hash; "": a dedicated function
  bool copy_before_3_39 = false;  // see above
};

std::span<const MethodRow> methods();
const MethodRow& row_of(Method method);
const MethodRow* method_named(std::string_view name);  // nullptr: unknown. "crc32c-intel" is crc32c
const MethodRow* method_numbered(std::uint64_t type);  // nullptr: unknown

// The sha512 field of fio 3.33 to 3.38. With less than 128 bytes of data, the rest of `field` stays unchanged.
void sha512_copy(std::span<const std::byte> data, std::byte* field);

}  // namespace fathom::verify
