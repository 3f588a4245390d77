// What a bag gives back.
#include "base/bag.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom::base {
namespace {

struct Speed {
  int rpm = 7200;
};
struct Colour {
  std::string name = "grey";
};

TEST(Bag, HoldsOneOfEachTypeAndDefaultsTheRest) {
  Bag bag;
  const Bag& seen = bag;
  EXPECT_EQ(seen.get<Speed>().rpm, 7200);
  Speed& speed = bag.get<Speed>();
  speed.rpm = 5400;
  bag.get<Colour>().name = "red";
  EXPECT_EQ(seen.get<Speed>().rpm, 5400);
  EXPECT_EQ(&bag.get<Speed>(), &speed) << "what was handed out stays where it is";
  EXPECT_EQ(seen.get<Colour>().name, "red");
}

TEST(Bag, ACopyIsIndependent) {
  Bag bag;
  bag.get<Colour>().name = "red";
  Bag copy = bag;
  EXPECT_EQ(copy.get<Colour>().name, "red");
  copy.get<Colour>().name = "blue";
  EXPECT_EQ(bag.get<Colour>().name, "red");
}

}  // namespace
}  // namespace fathom::base
