// How long an interval should be: so short that busy pages do not show in every one, and long enough that most of the
// others show at all. It is no shorter than marking and reading take. Pure.
#pragma once
#include "paging/learn/observe/observer.h"

namespace fathom::paging::learn {

struct PaceBounds {
  double least_s = 1e-3, most_s = 1;
};
// A better interval, from a trial window; the same interval: good enough.
double better_interval(const observe::Window& trial, double interval_s, PaceBounds bounds);

// Intervals per window, at least `least`, chosen so that the time left gives enough windows to see a hot set move.
unsigned intervals_a_window(double left_s, double interval_s, unsigned least);

}  // namespace fathom::paging::learn
