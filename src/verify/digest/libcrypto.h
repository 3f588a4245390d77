// OpenSSL's hashes and signatures, loaded when a job needs a hash, or a bundle is made or checked. Linking with libcrypto would cost every start half a millisecond of
// relocations, while fathom's whole start takes a few. Nearly all runs verify nothing, or use a CRC. Therefore the
// first hash opens the library, and calls go through this table. The types are those of OpenSSL's own headers.
// MD5, SHA-1 and SHA-2 use the old functions: fio's sha256 and sha512 need the state before finalization, which the
// newer interface does not expose. Their contexts are plain structs without allocation. SHA-3 exists only in the newer
// interface.
// The table is filled once and never changes; any thread.
#pragma once
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include "base/error.h"

namespace fathom::verify::digest {

struct Libcrypto {
  decltype(&::MD5_Init) md5_init = nullptr;
  decltype(&::MD5_Update) md5_update = nullptr;
  decltype(&::MD5_Final) md5_final = nullptr;
  decltype(&::SHA1_Init) sha1_init = nullptr;
  decltype(&::SHA1_Update) sha1_update = nullptr;
  decltype(&::SHA1_Final) sha1_final = nullptr;
  decltype(&::SHA256_Init) sha256_init = nullptr;
  decltype(&::SHA256_Update) sha256_update = nullptr;
  decltype(&::SHA256_Transform) sha256_transform = nullptr;
  decltype(&::SHA256_Final) sha256_final = nullptr;
  decltype(&::SHA512_Init) sha512_init = nullptr;
  decltype(&::SHA512_Update) sha512_update = nullptr;
  decltype(&::SHA512_Final) sha512_final = nullptr;
  decltype(&::EVP_MD_fetch) md_fetch = nullptr;
  decltype(&::EVP_MD_free) md_free = nullptr;
  decltype(&::EVP_MD_CTX_new) context_new = nullptr;
  decltype(&::EVP_MD_CTX_free) context_free = nullptr;
  decltype(&::EVP_DigestInit_ex) digest_init = nullptr;
  decltype(&::EVP_DigestUpdate) digest_update = nullptr;
  decltype(&::EVP_DigestFinal_ex) digest_final = nullptr;
  // signatures
  decltype(&::BIO_new_mem_buf) text_new = nullptr;
  decltype(&::BIO_free) text_free = nullptr;
  decltype(&::PEM_read_bio_PrivateKey) read_private_key = nullptr;
  decltype(&::PEM_read_bio_PUBKEY) read_public_key = nullptr;
  decltype(&::EVP_PKEY_get_base_id) key_kind = nullptr;
  decltype(&::EVP_PKEY_get0_type_name) key_kind_name = nullptr;
  decltype(&::EVP_PKEY_free) key_free = nullptr;
  decltype(&::EVP_DigestSignInit) sign_init = nullptr;
  decltype(&::EVP_DigestSign) sign = nullptr;
  decltype(&::EVP_DigestVerifyInit) verify_init = nullptr;
  decltype(&::EVP_DigestVerify) verify = nullptr;
  decltype(&::ERR_clear_error) clear_errors = nullptr;
};

// Returns the library, opened by the first call. Error: it is not installed, or lacks one of these functions.
base::Expected<const Libcrypto*> libcrypto();

}  // namespace fathom::verify::digest
