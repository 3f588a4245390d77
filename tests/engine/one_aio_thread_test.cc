// This program's POSIX AIO has one thread under ThreadSanitizer, before any test of it begins.
#include "engine/one_aio_thread.h"

#include <gtest/gtest.h>

namespace fathom::engine::test {
namespace {

TEST(OneAioThread, IsAskedForUnderThreadSanitizerAlone) { EXPECT_EQ(kOneAioThread, FATHOM_TSAN == 1); }

}  // namespace
}  // namespace fathom::engine::test
