// Who is answered: the page itself, by its whole address, under a name of this machine; nobody else.
#include "live/serve/asking.h"

#include <gtest/gtest.h>

#include <set>

namespace fathom::live::serve {
namespace {

constexpr const char* kToken = "0123456789abcdef0123456789abcdef";
const std::string kPage = std::string("/") + kToken + "/";

Answer asked(const std::string& path, std::string_view host = "127.0.0.1:8080", std::string_view origin = "",
             bool get = true) {
  return answer_to({get, path, host, origin}, kToken);
}

TEST(Asking, TheWholeAddressIsAnswered) {
  EXPECT_EQ(asked(kPage), Answer::page);
  EXPECT_EQ(asked(kPage + "?x"), Answer::page);
  EXPECT_EQ(asked(kPage + "seconds"), Answer::seconds);
  EXPECT_EQ(asked(kPage + "seconds?after=7"), Answer::seconds);
  EXPECT_EQ(asked(kPage, "localhost:9000"), Answer::page) << "through a tunnel";
}

TEST(Asking, AnyOtherTokenIsNotFound) {
  std::string wrong = kPage;
  wrong[32] = wrong[32] == '0' ? '1' : '0';
  for (const auto& path : {std::string("/"), std::string(), wrong, kPage.substr(0, kPage.size() - 1), "/" + kPage,
                           kPage + "x", kPage + "../etc/passwd", std::string("/seconds"), kPage.substr(1)})
    EXPECT_EQ(asked(path), Answer::not_found) << path;
}

TEST(Asking, OtherNamesAndOriginsAreRefused) {
  for (const char* host : {"", "evil.example", "evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1:8080",
                           "localhost.evil.example:8080"})
    EXPECT_EQ(asked(kPage, host), Answer::refused) << host;
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:8081",
                             "http://127.0.0.1", "http://localhost:8080"})
    EXPECT_EQ(asked(kPage, "127.0.0.1:8080", origin), Answer::refused) << origin;
  EXPECT_EQ(asked(kPage, "127.0.0.1:8080", "http://127.0.0.1:8080"), Answer::page);
}

TEST(Asking, NothingIsWritten) { EXPECT_EQ(asked(kPage, "localhost", "", false), Answer::not_allowed); }

TEST(Asking, AfterIsANumberOrNothing) {
  EXPECT_EQ(after_of("/t/seconds?after=17"), 17u);
  for (const char* path : {"/t/seconds", "/t/seconds?after=", "/t/seconds?after=-1", "/t/seconds?after=1x",
                           "/t/seconds?after=99999999999999999999"})
    EXPECT_EQ(after_of(path), 0u) << path;
}

TEST(Asking, TokensAreLongAndNeverTheSame) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const auto token = new_token();
    EXPECT_EQ(token.size(), 32u);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 100u);
}

}  // namespace
}  // namespace fathom::live::serve
