// Declarations that all tests of the C interface share.
#pragma once

#include "treeline.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int failures;

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      failures++; \
    } \
  } while (0)

// MARK: Points

enum { POINTS = 5000, COLUMNS = 6 };

/// A point in one of four towns. Latitudes and longitudes are in one array of these records, not in separate arrays.
typedef struct Place {
  double latitude;
  double longitude;
} Place;

extern Place places[POINTS];
extern double prices[POINTS];
extern int64_t rooms[POINTS];
extern int32_t kinds[POINTS];
extern const int64_t kind_offsets[4];
extern const char kind_bytes[];
extern char *names;

void make_points(void);
treeline_points points(void);
treeline_tree *build(const char *options, treeline_error **error);

// MARK: Builds in pieces

enum { PARTS = 3, COLUMNS_GIVEN = 3 };

/// Fills in the columns of the points from number `first` on. Returns the number of columns.
size_t columns_from(size_t first, treeline_column *columns);
/// Returns the encoding of columns, computed from surveys of parts. Also returns the codes of all points.
treeline_encoding *encode_parts(size_t column_count, uint8_t **codes);

// MARK: Errors

void expect_error(int line, treeline_error *error, treeline_error_kind kind, const char *message);

#define EXPECT_ERROR(call, kind, message) \
  do { \
    treeline_error *error = NULL; \
    EXPECT(!(call)); \
    expect_error(__LINE__, error, kind, message); \
  } while (0)

#define NO_ERROR(call) \
  do { \
    treeline_error *error = NULL; \
    call; \
    if (error) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, treeline_error_message(error)); \
      exit(1); \
    } \
  } while (0)

// MARK: Tables

treeline_array array_named(const treeline_table *table, const char *name);
const int64_t *integers(const treeline_table *table, const char *name);
const double *doubles(const treeline_table *table, const char *name);
bool text_is(const treeline_array *array, size_t row, const char *expected);
int64_t sum(const int64_t *values, size_t count);

// MARK: Tests

void test_facts(const treeline_tree *tree);
void test_answer(const treeline_tree *tree);
void test_geojson(const treeline_tree *tree);
void test_views(const treeline_tree *tree);
void test_navigation(const treeline_tree *tree);
void test_filter_and_aggregates(const treeline_tree *tree);
void test_queries_that_fail(const treeline_tree *tree);
void test_builds_that_fail(void);
void test_growths(void);
void test_edits(void);
void test_pages(const treeline_tree *tree, const char *path);
void test_index(const treeline_tree *tree, const char *path);
void test_monitor(void);
void test_columns_that_fail(void);
void test_odd_values(void);
void test_long_dictionaries(void);
void test_nulls(const treeline_tree *tree, const char *path);
void test_pieces(const char *path);
void test_hostile_calls(const treeline_tree *tree);
