// Student's distribution for fractional degrees of freedom, as Welch's test has them. Problem: the finite sums of
// stats/repeat.cc hold for whole degrees only, and a table ends. Choice: the regularized incomplete beta function by
// its continued fraction, in Lentz's form; to about 1e-13 of SciPy's values for degrees from 1 to 10,000. Source:
// Abramowitz and Stegun 26.5.8 and 26.7.1; Press et al., "Numerical Recipes", 6.4. Pure.
#pragma once

namespace fathom::stats::comparison {

// I_x(a, b), for 0 <= x <= 1 and a, b > 0. rest: 1 - x, which the caller may know more exactly than x yields.
double incomplete_beta(double x, double rest, double a, double b);
// The probability that |T| is at least |t|. No degrees: 1.
double two_sided_p(double t, double degrees);
// The t for which the interval from -t to t has the share `central` (0 to 1, exclusive) of the distribution. No
// degrees: infinity.
double student_quantile(double central, double degrees);

}  // namespace fathom::stats::comparison
