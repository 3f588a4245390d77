// The test vectors of RFC 4648, section 10, and bytes that are no text.
#include "base/text/base64.h"

#include <gtest/gtest.h>

#include <string_view>

namespace fathom::base::text {
namespace {

TEST(Base64, EncodesTheVectorsOfRfc4648) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foob"), "Zm9vYg==");
  EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, EncodesZerosAndHighBytes) {
  EXPECT_EQ(base64(std::string_view("\0\0\0", 3)), "AAAA");
  EXPECT_EQ(base64("\xff\xfe\xfb"), "//77");
}

}  // namespace
}  // namespace fathom::base::text
