// The functions of the projection, written in C from the definitions in IndexFormat.md, and compared with MPFR at 96
// bits.
//
//     projection COUNT SEED
//
// Prints two values for each function: a hash of the bits of COUNT results, for comparison with other languages, and
// the greatest error. Fails if an error exceeds the bound in the document. Must be compiled without fused multiply-add.

#include <math.h>
#include <mpfr.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRECISION = 96 };
static const double ROOT_OF_2 = 1.4142135623730951, EDGE = 85.0511287798066;

static double polynomial(double z, int count, const double *coefficients) {
  double sum = coefficients[count - 1];
  for (int i = count - 2; i >= 0; i--) sum = coefficients[i] + z * sum;
  return sum;
}
#define P(z, ...) \
  polynomial(z, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

static double y_of_latitude(double latitude) {
  double p = fmin(fabs(latitude), EDGE) * (1.0 / 90), z = p * p;
  double o = p * P(z, 0.7853981633974483, -0.062145352039566705, 0.0008382296683324081, -1.3777072437601478e-06);
  double e = P(z, 1, -0.2847426780942919, 0.008881232016430318, -4.889060316775422e-05);
  double a = e + o, b = e - o, limit = b * ROOT_OF_2;
  int k = 0;
  for (int times = 1; times <= 16; times *= 2) k += a > times * limit;
  double c = b * ldexp(1, k), r = (a - c) / (a + c);
  double h = k * 473811343.4944856 + r * P(r * r, 1367130551.152827, 455710183.805887, 273426075.3129126,
      195309406.2532113, 151575472.50482783, 134034132.99516822);
  return 0x1p31 + (latitude < 0 ? h : -h);
}

static double latitude_of_y(double y) {
  double h = fmin(fmax(1 - y * 0x1p-31, -1), 1), z = h * h;
  double o = P(z, 179.99999999999778, 2004.3963709410161, 8532.402038610662, 17507.030935487255, 17997.094038867355,
      8767.160003102932, 1728.2789883039677, 106.33541022953081, 0.9664572686250515);
  double e = P(z, 1, 12.780469460957695, 64.36655102885277, 162.90363037971449, 219.20128720666466, 152.74401722578062,
      49.33933538071875, 5.61535797303942, 0.1611690007432005);
  return h * o / e;
}

static double power_of_2(double x) {
  double n = round(x), f = x - n;
  return ldexp(1 + f * P(f, 0.6931471805599453, 0.24022650695910097, 0.0555041086648216, 0.009618129107606888,
      0.0013333558146416936, 0.0001540353044173605, 1.525273382983612e-05, 1.321544258792169e-06,
      1.0178062445845774e-07, 7.072585949269223e-09, 4.4549605981865186e-10), (int)n);
}

static double log_of_2(double x) {
  int n;
  double s = frexp(x, &n) * 2;
  n -= 1;
  if (s > ROOT_OF_2) {
    s /= 2;
    n += 1;
  }
  double r = (s - 1) / (s + 1);
  return n + r * P(r * r, 2.8853900817779268, 0.9617966939259898, 0.5770780163455203, 0.4121985858409005,
      0.32059853491395984, 0.262334352504183, 0.2209130842311768, 0.2136589569431927);
}

static mpfr_t degree, half_world, exact, work;

static void exact_y(double latitude) {
  mpfr_mul_d(work, degree, fmin(fabs(latitude), EDGE), MPFR_RNDN);
  mpfr_sin(work, work, MPFR_RNDN);
  mpfr_atanh(work, work, MPFR_RNDN);
  mpfr_mul(work, work, half_world, MPFR_RNDN);
  mpfr_set_d(exact, 0x1p31, MPFR_RNDN);
  (latitude < 0 ? mpfr_add : mpfr_sub)(exact, exact, work, MPFR_RNDN);
}

static void exact_latitude(double y) {
  mpfr_set_d(work, 0x1p31, MPFR_RNDN);
  mpfr_sub_d(work, work, y, MPFR_RNDN);
  mpfr_div(work, work, half_world, MPFR_RNDN);
  mpfr_sinh(work, work, MPFR_RNDN);
  mpfr_atan(work, work, MPFR_RNDN);
  mpfr_div(exact, work, degree, MPFR_RNDN);
}

static void exact_power(double x) {
  mpfr_set_d(work, x, MPFR_RNDN);
  mpfr_exp2(exact, work, MPFR_RNDN);
}

static void exact_log(double x) {
  mpfr_set_d(work, x, MPFR_RNDN);
  mpfr_log2(exact, work, MPFR_RNDN);
}

// Returns the distance of a result from the exact result.
static double error(double found) {
  mpfr_sub_d(work, exact, found, MPFR_RNDN);
  return fabs(mpfr_get_d(work, MPFR_RNDU));
}

static double ulp(double x) { return nextafter(fabs(x), INFINITY) - fabs(x); }

static uint64_t state;

// Returns the next number of SplitMix64.
static uint64_t next(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static double unit(void) { return (double)(next() >> 11) * 0x1p-53; }

static double random_latitude(void) { return unit() * 170.12 - 85.06; }
static double random_y(void) { return unit() * 0x1p32; }
static double random_zoom(void) { return unit() * 60 - 30; }
static double random_number(void) {
  double significand = 1 + unit();
  return ldexp(significand, (int)(next() % 81) - 40);
}

static double per_unit(double found) { return 1; }
static double per_ulp(double found) { return 1 / ulp(found); }
// The error bound of a logarithm n + t, |t| <= 1/2. The greatest relative error of an operation is u = 2^-53. The
// difference s - 1 is exact. The sum s + 1 and the quotient add an error of u each to r. The polynomial, whose constant
// is 34 times its other terms, adds 0.76 u by rounding and 0.13 u by its coefficients. The product with r adds u. So
// the error of t is at most 3.9 u |t|. The last sum adds half a unit.
static double per_bound_of_log(double found) {
  return 1 / (ulp(found) / 2 + 3.9 * 0x1p-53 * fabs(found - round(found)));
}

static const struct function {
  const char *name, *unit;
  double (*input)(void), (*result)(double);
  void (*reference)(double);
  double (*scale)(double), bound;
} functions[] = {
    {"Y", "units", random_latitude, y_of_latitude, exact_y, per_unit, 1e-4},
    {"latitude", "degrees", random_y, latitude_of_y, exact_latitude, per_unit, 3e-12},
    {"2^x", "ulp", random_zoom, power_of_2, exact_power, per_ulp, 1.25},
    {"log2", "of its bound", random_number, log_of_2, exact_log, per_bound_of_log, 1},
};

static double worst_of(const struct function *function, double x) {
  double found = function->result(x);
  function->reference(x);
  return error(found) * function->scale(found);
}

int main(int count, char **arguments) {
  long number = count > 1 ? atol(arguments[1]) : 100000;
  uint64_t seed = count > 2 ? strtoull(arguments[2], NULL, 10) : 1;
  mpfr_set_default_prec(PRECISION);
  mpfr_inits(degree, half_world, exact, work, NULL);
  mpfr_const_pi(degree, MPFR_RNDN);
  mpfr_ui_div(half_world, 1u << 31, degree, MPFR_RNDN);
  mpfr_div_ui(degree, degree, 180, MPFR_RNDN);
  int status = 0;
  for (int f = 0; f < 4; f++) {
    const struct function *function = &functions[f];
    state = seed;
    uint64_t hash = 0xcbf29ce484222325;
    double worst = 0;
    for (long i = 0; i < number; i++) {
      double x = function->input(), found = function->result(x);
      uint64_t bits;
      memcpy(&bits, &found, 8);
      hash = (hash ^ bits) * 0x100000001b3;
      worst = fmax(worst, worst_of(function, x));
    }
    printf("%-8s %016llx  off by %.3g %s at most\n", function->name, (unsigned long long)hash, worst, function->unit);
    status |= worst > function->bound;
  }

  // Tests the ends of the range, and the neighbors of the latitudes at which the whole part of the logarithm changes.
  double ends[] = {0, -0.0, 5e-324, 1e-300, 1e-9, EDGE, -EDGE, nextafter(EDGE, 0), nextafter(EDGE, 90), 89, 90, -90};
  double worst = 0;
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) worst = fmax(worst, worst_of(&functions[0], ends[i]));
  for (int k = 0; k < 5; k++) {
    double quotient = exp2(k + 0.5), middle = 2 * atan((quotient - 1) / (quotient + 1)) * (180 / M_PI);
    double latitude = middle;
    for (int step = 0; step < 200; step++) latitude = nextafter(latitude, 0);
    for (int step = 0; step < 400; step++, latitude = nextafter(latitude, 90)) {
      worst = fmax(worst, fmax(worst_of(&functions[0], latitude), worst_of(&functions[0], -latitude)));
    }
  }
  double back = 0, ys[] = {0, 0.5, 1, 0x1p31 - 0x1p-22, 0x1p31, 0x1p31 + 0x1p-21, 0x1p32 - 1, 0x1p32};
  for (size_t i = 0; i < sizeof ys / sizeof *ys; i++) back = fmax(back, worst_of(&functions[1], ys[i]));
  printf("ends     off by %.3g units and %.3g degrees at most\n", worst, back);
  status |= worst > functions[0].bound || back > functions[1].bound;

  // Tests ties, that is, latitudes whose exact y is halfway between two positions, and the neighbors of these
  // latitudes.
  state = seed;
  long others = 0, ties = number / 10 * 3;
  worst = 0;
  for (long i = 0; i < number / 10; i++) {
    double half = (double)(next() >> 32) + 0.5;
    exact_latitude(half);
    double tie = mpfr_get_d(exact, MPFR_RNDN);
    for (int side = -1; side <= 1; side++) {
      double latitude = side ? nextafter(tie, side * 90) : tie, found = y_of_latitude(latitude);
      exact_y(latitude);
      // No other position may be nearer than the chosen position, except by the error of the projection.
      mpfr_sub_d(work, exact, floor(found + 0.5), MPFR_RNDN);
      double distance = fabs(mpfr_get_d(work, MPFR_RNDU));
      others += distance > 0.5;
      worst = fmax(worst, distance);
    }
  }
  printf("ties     %ld of %ld go to the farther of two positions, which is at most %.6f units away\n", others, ties,
         worst);
  status |= worst > 0.5001;
  return status;
}
