// Compares a clock with its reference between two looks.
#include "clock/watch.h"

#include <algorithm>
#include <cmath>

namespace fathom::clock {
namespace {

double forward(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(static_cast<std::int64_t>(to - from));
}

// Errors from one changed rate are similar. The first of them may also contain a jump, and is then counted separately.
bool alike(double a_ppm, double b_ppm) {
  return std::abs(a_ppm - b_ppm) <= 0.2 * std::max(std::abs(a_ppm), std::abs(b_ppm));
}

}  // namespace

void ClockWatch::look(const sources::Bracket& b) {
  if (!first_) first_ = b;
  if (!last_) return void(last_ = b);
  const double least_ns = forward(last_->after_ns, b.before_ns), most_ns = forward(last_->before_ns, b.after_ns);
  const double by_clock_ns = forward(last_->ticks, b.ticks) * ns_per_tick_;
  const double slack_ns = allowed_.ns + allowed_.ppm * 1e-6 * most_ns;
  const double middle_ns = (least_ns + most_ns) / 2;
  const bool held = by_clock_ns <= most_ns + slack_ns && by_clock_ns >= least_ns - slack_ns;
  moved_.watched_s = forward(first_->before_ns, b.after_ns) * 1e-9;
  book(held ? 0 : by_clock_ns - middle_ns, middle_ns, forward(first_->before_ns, last_->before_ns) * 1e-9);
  last_ = b;
}

void ClockWatch::book(double miss_ns, double length_ns, double at_s) {
  const double ppm = length_ns > 0 ? miss_ns / length_ns * 1e6 : 0;
  moved_.net_ns += miss_ns;
  const bool goes_on = miss_ns != 0 && miss_ && ppm != 0 && alike(ppm, miss_->ppm);
  if (goes_on) {
    miss_->rate = true;
    miss_->length_s += length_ns * 1e-9;
    if (std::abs(ppm) > std::abs(miss_->ppm)) miss_->ppm = ppm;
    return;
  }
  if (miss_) settle(*miss_, moved_);
  miss_.reset();
  if (miss_ns != 0) miss_ = Miss{miss_ns, ppm, length_ns * 1e-9, at_s, false};
}

void ClockWatch::settle(const Miss& miss, Moved& into) {
  if (miss.rate) {
    into.off_rate_s += miss.length_s;
    if (std::abs(miss.ppm) > std::abs(into.off_rate_ppm)) into.off_rate_ppm = miss.ppm;
    return;
  }
  if (into.jumps++ == 0) into.first_jump_s = miss.at_s;
  if (std::abs(miss.ns) > std::abs(into.largest_jump_ns)) into.largest_jump_ns = miss.ns;
}

Moved ClockWatch::moved() const {
  Moved all = moved_;
  if (miss_) settle(*miss_, all);
  return all;
}

}  // namespace fathom::clock
