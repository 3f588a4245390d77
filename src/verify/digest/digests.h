// The functions named in the rows of methods.cc. Each computes a method's field from the bytes that it covers.
#pragma once
#include "verify/methods.h"

namespace fathom::verify::digest {

Digest digest_crc7, digest_crc16, digest_crc32, digest_crc32c, digest_crc64;  // digest_crc.cc
Digest digest_md5, digest_sha1, digest_sha256, digest_sha512;                 // sha.cc
Digest digest_sha3;                                                           // sha3.cc
Digest digest_xxhash;                                                         // xxhash.cc

}  // namespace fathom::verify::digest
