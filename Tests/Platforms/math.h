// The names in this header are from the standard of C.
#include <stddef.h>

double sin(double), cos(double), exp(double), log(double), pow(double, double);
void *calloc(size_t, size_t);
void free(void *);
