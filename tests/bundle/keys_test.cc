// SHA-256 and Ed25519 against the examples of FIPS 180-2 and RFC 8032.
#include "bundle/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

namespace fathom::bundle {
namespace {

using ::testing::HasSubstr;

std::string pem(const std::string& label, const std::string& base64) {
  return fmt::format("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", label, base64);
}

// RFC 8032, 7.1, test 1.
Key private_key() {
  return {pem("PRIVATE KEY", "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"), "key.pem"};
}
Key public_key() {
  return {pem("PUBLIC KEY", "MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="), "pub.pem"};
}
constexpr const char* kSignatureOfNothing =
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
    "5141438e7a100b";

std::string hex(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

TEST(Keys, ChecksumsAreThoseOfTheStandard) {
  EXPECT_EQ(*sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(*sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  auto sum = Sha256::make();
  ASSERT_TRUE(sum.ok());
  sum->add("a"), sum->add(""), sum->add("bc");
  EXPECT_EQ(sum->hex(), *sha256_of("abc"));
}

TEST(Keys, TheSignatureIsThatOfTheStandard) {
  const auto signature = sign("", private_key());
  ASSERT_TRUE(signature.ok()) << signature.error().what;
  EXPECT_EQ(hex(*signature), kSignatureOfNothing);
  EXPECT_TRUE(*is_signed_by(public_key(), "", *signature));
}

TEST(Keys, AnotherTextOrSignatureIsNotSigned) {
  const auto signature = *sign("text", private_key());
  EXPECT_TRUE(*is_signed_by(public_key(), "text", signature));
  EXPECT_FALSE(*is_signed_by(public_key(), "texT", signature));
  EXPECT_FALSE(*is_signed_by(public_key(), "text", signature.substr(1)));
  EXPECT_FALSE(*is_signed_by(public_key(), "text", ""));
  EXPECT_FALSE(*is_signed_by(public_key(), "text", std::string(4096, 'x')));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    auto changed = signature;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(*is_signed_by(public_key(), "text", changed)) << i;
  }
}

void expect_refused(const base::Error& error, const std::string& what, const std::string& help) {
  EXPECT_EQ(error.kind, base::ErrorKind::usage);
  EXPECT_THAT(error.what, HasSubstr(what));
  EXPECT_THAT(error.help, HasSubstr(help));
}

TEST(Keys, OtherFilesAreRefused) {
  const Key none{"no key", "n.pem"}, empty{"", "e.pem"};
  expect_refused(sign("", none).error(), "`n.pem`: not a private key", "openssl genpkey");
  expect_refused(sign("", empty).error(), "not a private key", "openssl genpkey");
  expect_refused(is_signed_by(none, "", "").error(), "not a public key", "openssl pkey");
  expect_refused(sign("", public_key()).error(), "this is a public key", "name the private key's file");
  expect_refused(is_signed_by(private_key(), "", "").error(), "this is a private key", "-pubout");
}

// P-256, made by `openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`.
TEST(Keys, AnotherKindOfKeyIsRefused) {
  const Key ec{pem("PUBLIC KEY",
                   "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEqdDLGLAD5rd59OXVcE2V+EVum7S6\n"
                   "NkqjF4YznJn3XWPTMv1dwKuEmSsAGBvWFopG51elEsLK+etI11rH+lrheg=="),
               "ec.pem"};
  const auto refused = is_signed_by(ec, "", "");
  ASSERT_FALSE(refused.ok());
  expect_refused(refused.error(), "`ec.pem`: not an Ed25519 key", "openssl genpkey");
  EXPECT_EQ(refused.error().cause, "it is a key for EC");
}

}  // namespace
}  // namespace fathom::bundle
