// Uses all of treeline.h, on points whose answers are known or found by brute force. Run by scripts/test-c under the
// address sanitizer, with the path of an index to write.
#include "treeline.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define EXPECT(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition); \
      failures++; \
    } \
  } while (0)

// MARK: Points

enum { POINTS = 5000 };

/// Four towns, in records whose coordinates are not packed.
typedef struct Place {
  double latitude;
  double longitude;
} Place;

static Place places[POINTS];
static double prices[POINTS];
static int64_t rooms[POINTS];
static uint8_t open_now[POINTS];
static int32_t kinds[POINTS];
static int64_t opened[POINTS];
static uint8_t room_validity[(POINTS + 7) / 8];
static int64_t name_offsets[POINTS + 1];
static char *names;

static const int64_t kind_offsets[] = {0, 5, 11, 14};
static const char kind_bytes[] = "hotelhostelbar";

static void make_points(void) {
  uint64_t state = 20240501;
  const double towns[4][2] = {{2.35, 48.86}, {-0.12, 51.51}, {13.4, 52.52}, {179.9, -17.0}};
  names = malloc(POINTS * 8);
  name_offsets[0] = 0;
  for (int row = 0; row < POINTS; row++) {
    double random[3];
    for (int i = 0; i < 3; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      random[i] = (double)(state >> 11) / 9007199254740992.0;
    }
    const double *town = towns[row % 4];
    // The last town lies across the antimeridian.
    double longitude = town[0] + (random[0] - 0.5) * 0.6;
    places[row].longitude = longitude > 180 ? longitude - 360 : longitude;
    places[row].latitude = town[1] + (random[1] - 0.5) * 0.4;
    prices[row] = row % 50 == 7 ? NAN : floor(random[2] * 10000) / 100;
    rooms[row] = row % 97 + 1;
    open_now[row] = row % 3 == 0;
    kinds[row] = row % 11 == 0 ? -1 : row % 3;
    opened[row] = row % 13 == 0 ? INT64_MIN : (int64_t)row * 86400000;
    if (row % 10 != 0)
      room_validity[row / 8] |= 1 << (row % 8);
    name_offsets[row + 1] = name_offsets[row] + sprintf(names + name_offsets[row], "n%d", row % 700);
  }
}

static const treeline_column columns[] = {
    {.name = "price", .type = TREELINE_DOUBLES, .values = prices, .kind = "number+percentiles+distinct"},
    {.name = "rooms", .type = TREELINE_INTEGERS, .values = rooms, .validity = room_validity},
    {.name = "open", .type = TREELINE_BOOLEANS, .values = open_now},
    {.name = "kind",
        .type = TREELINE_CODES,
        .values = kinds,
        .offsets = kind_offsets,
        .bytes = kind_bytes,
        .entry_count = 3},
    {.name = "opened", .type = TREELINE_INSTANTS, .values = opened, .units_per_second = 1000},
    {.name = "name", .type = TREELINE_TEXTS},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static treeline_points points(void) {
  return (treeline_points){.x = &places[0].longitude,
      .x_stride = sizeof(Place),
      .y = &places[0].latitude,
      .y_stride = sizeof(Place),
      .count = POINTS};
}

static treeline_tree *build(const char *options, treeline_error **error) {
  treeline_column all[COLUMNS];
  memcpy(all, columns, sizeof columns);
  all[COLUMNS - 1].offsets = name_offsets;
  all[COLUMNS - 1].bytes = names;
  treeline_points coordinates = points();
  return treeline_build(&coordinates, all, COLUMNS, options, NULL, error);
}

// MARK: Errors

/// Holds an error to its kind and a part of its message, and frees it.
static void expect_error(int line, treeline_error *error, treeline_error_kind kind, const char *message) {
  if (!error) {
    fprintf(stderr, "line %d: expected an error\n", line);
    failures++;
    return;
  }
  if (treeline_error_get_kind(error) != kind || !strstr(treeline_error_message(error), message)) {
    fprintf(stderr, "line %d: expected an error of kind %d with '%s', found kind %d: %s\n", line, kind, message,
        treeline_error_get_kind(error), treeline_error_message(error));
    failures++;
  }
  treeline_error_free(error);
}

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

static size_t column_named(const treeline_table *table, const char *name) {
  for (size_t i = 0; i < treeline_table_column_count(table); i++)
    if (strcmp(treeline_table_name(table, i), name) == 0)
      return i;
  fprintf(stderr, "expected a column '%s'\n", name);
  exit(1);
}

static treeline_array array_named(const treeline_table *table, const char *name) {
  treeline_array array;
  treeline_table_column(table, column_named(table, name), &array);
  return array;
}

static const int64_t *integers(const treeline_table *table, const char *name) {
  treeline_array array = array_named(table, name);
  EXPECT(array.type == TREELINE_INTEGERS);
  return array.values;
}

static const double *doubles(const treeline_table *table, const char *name) {
  treeline_array array = array_named(table, name);
  EXPECT(array.type == TREELINE_DOUBLES);
  return array.values;
}

static bool text_is(const treeline_array *array, size_t row, const char *expected) {
  size_t length = array->offsets[row + 1] - array->offsets[row];
  return length == strlen(expected) && memcmp(array->bytes + array->offsets[row], expected, length) == 0;
}

// MARK: Tests

static int64_t sum(const int64_t *values, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}

static void test_facts(const treeline_tree *tree) {
  treeline_facts facts;
  treeline_tree_facts(tree, &facts);
  EXPECT(facts.point_count == POINTS && facts.passing_point_count == POINTS && facts.clipped_point_count == 0);
  EXPECT(facts.has_separations && !facts.has_badges && !facts.is_planar);
  EXPECT(strcmp(facts.growth, "least-scatter") == 0 && strcmp(facts.stand, "mean") == 0);
  // Around the antimeridian, the short way.
  EXPECT(facts.west > facts.east || facts.west < 0);
  EXPECT(facts.south > -17.3 && facts.north < 52.8);

  treeline_table *list = treeline_tree_columns(tree);
  EXPECT(treeline_table_row_count(list) == COLUMNS);
  treeline_array kind = array_named(list, "kind");
  const char *expected[] = {"number", "number", "boolean", "category", "time", "text"};
  for (size_t i = 0; i < COLUMNS; i++)
    EXPECT(text_is(&kind, i, expected[i]));
  EXPECT(treeline_table_name(list, 99) == NULL);
  treeline_array none;
  treeline_table_column(list, 99, &none);
  EXPECT(none.values == NULL && none.offsets == NULL);
  treeline_table_free(list);
}

static void test_answer(const treeline_tree *tree) {
  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(tree, "zoom=9&spacing=44", NULL, &error));
  treeline_clusters_arrays clusters;
  treeline_answer_arrays(answer, &clusters);
  EXPECT(clusters.count > 4 && clusters.count == treeline_answer_count(answer));
  EXPECT(sum(clusters.point_count, clusters.count) == POINTS);
  // One block, as the header says.
  EXPECT((const char *)clusters.y == (const char *)clusters.id + 7 * 8 * clusters.count);
  for (size_t i = 0; i < clusters.count; i++) {
    EXPECT(clusters.end[i] - clusters.first[i] == clusters.point_count[i]);
    EXPECT(i == 0 || clusters.first[i] == clusters.end[i - 1]);
    EXPECT((clusters.row[i] == -1) == (clusters.point_count[i] > 1));
    EXPECT(treeline_answer_find(answer, clusters.end[i] - 1) == (int64_t)i);

    // Members, page by page, are the points of the range, and their mean is where the cluster stands.
    double y = 0;
    size_t seen = 0;
    for (size_t offset = 0;; offset += 700) {
      treeline_table *page;
      NO_ERROR(page = treeline_members(tree, clusters.id[i], offset, 700, &error));
      size_t count = treeline_table_row_count(page);
      for (size_t j = 0; j < count; j++) {
        int64_t row = integers(page, "row")[j];
        EXPECT(integers(page, "tree_index")[j] == clusters.first[i] + (int64_t)(offset + j));
        EXPECT(fabs(doubles(page, "y")[j] - places[row].latitude) < 1e-7);
        EXPECT(fabs(doubles(page, "x")[j] - places[row].longitude) < 1e-7);
        y += places[row].latitude;
      }
      seen += count;
      treeline_table_free(page);
      if (count < 700)
        break;
    }
    EXPECT(seen == (size_t)clusters.point_count[i]);
    // The mean is that on the plane, which differs by little within a town.
    EXPECT(fabs(y / seen - clusters.y[i]) < 0.01);
  }
  EXPECT(treeline_answer_find(answer, -1) == -1 && treeline_answer_find(answer, POINTS) == -1);

  treeline_extents_arrays extents;
  treeline_answer_extents(answer, &extents);
  EXPECT(extents.count == clusters.count);
  for (size_t i = 0; i < clusters.count; i++) {
    EXPECT(extents.south[i] <= clusters.y[i] && clusters.y[i] <= extents.north[i]);
    EXPECT(fabs(hypot(extents.axis_x[i], extents.axis_y[i]) - 1) < 1e-9);
    EXPECT(extents.semi_major[i] >= extents.semi_minor[i]);
    EXPECT(fabs(hypot(extents.semi_major[i], extents.semi_minor[i]) - extents.radius[i]) <= 1e-6 * extents.radius[i]);
    EXPECT(extents.west[i] <= extents.east[i] || extents.west[i] > 179);
    EXPECT(isnan(extents.badge_diameter[i]));
  }
  treeline_answer_free(answer);

  NO_ERROR(answer = treeline_clusters(tree, "zoom=6&limit=3&position=member", NULL, &error));
  treeline_answer_arrays(answer, &clusters);
  for (size_t i = 0; i < clusters.count; i++)
    EXPECT(clusters.tree_index[i] >= clusters.first[i]);
  treeline_answer_free(answer);
}

static void test_views(const treeline_tree *tree) {
  treeline_cut *cut;
  NO_ERROR(cut = treeline_cut_create(tree, "spacing=44", &error));
  for (int step = 0; step < 20; step++) {
    treeline_box box = {.west = -1 + step * 0.3, .south = 48, .east = 1 + step * 0.3, .north = 52};
    double zoom = 5 + step * 0.25;
    char query[120];
    sprintf(query, "bbox=%.17g,48,%.17g,52&zoom=%.17g&spacing=44", box.west, box.east, zoom);
    treeline_answer *first, *second;
    NO_ERROR(first = treeline_clusters(tree, query, NULL, &error));
    NO_ERROR(second = treeline_clusters_in_box(tree, cut, &box, zoom, NULL, &error));
    treeline_clusters_arrays a, b;
    treeline_answer_arrays(first, &a);
    treeline_answer_arrays(second, &b);
    EXPECT(a.count == b.count && memcmp(a.id, b.id, 8 * 8 * a.count) == 0);
    treeline_answer_free(first);
    treeline_answer_free(second);
  }
  treeline_box box = {0, 5, 1, 2};
  EXPECT_ERROR(treeline_clusters_in_box(tree, cut, &box, 3, NULL, &error), TREELINE_ERROR_QUERY, "south");
  EXPECT_ERROR(treeline_clusters_in_box(tree, cut, &box, 99, NULL, &error), TREELINE_ERROR_PARAMETER, "from 0 to 32");
  EXPECT_ERROR(treeline_cut_create(tree, "limit=0", &error), TREELINE_ERROR_PARAMETER, "'limit' must be 1 or more");
  EXPECT_ERROR(treeline_cut_create(tree, "zoom=3", &error), TREELINE_ERROR_PARAMETER, "no such parameter");
  treeline_cut_free(cut);
  treeline_cut_free(NULL);
}

static void test_navigation(const treeline_tree *tree) {
  treeline_answer *root, *children, *parent, *same;
  NO_ERROR(root = treeline_root(tree, &error));
  treeline_clusters_arrays whole, parts, above;
  treeline_answer_arrays(root, &whole);
  EXPECT(whole.count == 1 && whole.point_count[0] == POINTS);
  NO_ERROR(children = treeline_children(tree, whole.id[0], &error));
  treeline_answer_arrays(children, &parts);
  EXPECT(parts.count == 2 && parts.point_count[0] + parts.point_count[1] == POINTS);
  NO_ERROR(parent = treeline_parent(tree, parts.id[1], &error));
  treeline_answer_arrays(parent, &above);
  EXPECT(above.count == 1 && above.id[0] == whole.id[0]);
  treeline_answer_free(parent);
  NO_ERROR(parent = treeline_parent(tree, whole.id[0], &error));
  EXPECT(treeline_answer_count(parent) == 0);
  uint64_t ids[] = {parts.id[1], parts.id[0]};
  NO_ERROR(same = treeline_clusters_with_ids(tree, ids, 2, &error));
  EXPECT(treeline_answer_count(same) == 2);
  ids[1] = whole.id[0];
  EXPECT_ERROR(treeline_clusters_with_ids(tree, ids, 2, &error), TREELINE_ERROR_QUERY, "none of which lies within");
  EXPECT_ERROR(treeline_children(tree, UINT64_MAX, &error), TREELINE_ERROR_QUERY, "expected the id of a cluster");

  double zoom;
  NO_ERROR(treeline_expansion_zoom(tree, whole.id[0], "spacing=44", &zoom, &error));
  char query[80];
  treeline_answer *answer;
  sprintf(query, "spacing=44&zoom=%.17g", fmax(zoom, 0));
  NO_ERROR(answer = treeline_clusters(tree, query, NULL, &error));
  EXPECT(treeline_answer_count(answer) > 1);
  treeline_answer_free(answer);
  EXPECT_ERROR(
      treeline_expansion_zoom(tree, whole.id[0], "limit=4", &zoom, &error), TREELINE_ERROR_QUERY, "found a limit");
  NO_ERROR(treeline_unclustered_zoom(tree, 17, "spacing=44", &zoom, &error));
  sprintf(query, "spacing=44&zoom=%.17g", zoom);
  NO_ERROR(answer = treeline_clusters(tree, query, NULL, &error));
  treeline_clusters_arrays clusters;
  treeline_answer_arrays(answer, &clusters);
  EXPECT(clusters.point_count[treeline_answer_find(answer, 17)] == 1);
  EXPECT(treeline_tree_index_of_row(tree, clusters.row[treeline_answer_find(answer, 17)]) == 17);
  EXPECT(treeline_tree_index_of_row(tree, POINTS) == -1);
  EXPECT_ERROR(
      treeline_unclustered_zoom(tree, POINTS, "spacing=44", &zoom, &error), TREELINE_ERROR_ARGUMENT, "tree index");
  treeline_answer_free(answer);

  treeline_table *hull;
  NO_ERROR(hull = treeline_hull(tree, parts.id[0], &error));
  size_t corners = treeline_table_row_count(hull);
  EXPECT(corners >= 3);
  const double *x = doubles(hull, "x"), *y = doubles(hull, "y");
  double area = 0;
  for (size_t i = 0; i < corners; i++) {
    size_t j = (i + 1) % corners;
    area += x[i] * y[j] - x[j] * y[i];
  }
  EXPECT(area > 0);
  treeline_table_free(hull);
  treeline_answer_free(root);
  treeline_answer_free(children);
  treeline_answer_free(parent);
  treeline_answer_free(same);
}

static bool is_cheap_hotel(int row) { return kinds[row] == 0 && prices[row] < 50; }

static void test_filter_and_aggregates(const treeline_tree *tree) {
  treeline_tree *hotels, *all;
  NO_ERROR(hotels = treeline_select(tree, "kind = 'hotel' AND price < 50", &error));
  int64_t passing = 0, cheap_rooms = 0;
  double price_sum = 0;
  for (int row = 0; row < POINTS; row++) {
    if (!is_cheap_hotel(row))
      continue;
    passing++;
    price_sum += prices[row];
    if (row % 10 != 0)
      cheap_rooms += rooms[row];
  }
  treeline_facts facts;
  treeline_tree_facts(hotels, &facts);
  EXPECT((int64_t)facts.passing_point_count == passing);

  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(hotels, "limit=5", NULL, &error));
  treeline_clusters_arrays clusters;
  treeline_answer_arrays(answer, &clusters);
  EXPECT(sum(clusters.point_count, clusters.count) == passing);
  treeline_table *values;
  NO_ERROR(
      values = treeline_aggregate(answer,
          "count, sum(rooms), sum(price), median(price), max(opened), any(open), top(kind, 2), min(name)", &error));
  EXPECT(treeline_table_row_count(values) == clusters.count && treeline_table_column_count(values) == 8);
  EXPECT(sum(integers(values, "count"), clusters.count) == passing);
  EXPECT(sum(integers(values, "sum_rooms"), clusters.count) == cheap_rooms);
  double total = 0;
  for (size_t i = 0; i < clusters.count; i++) {
    total += doubles(values, "sum_price")[i];
    EXPECT(doubles(values, "median_price")[i] < 50);
  }
  EXPECT(fabs(total - price_sum) < 1e-6);
  EXPECT(array_named(values, "any_open").type == TREELINE_BOOLEANS);
  EXPECT(array_named(values, "max_opened").type == TREELINE_TEXTS);
  treeline_array kind = array_named(values, "top_kind");
  EXPECT(kind.type == TREELINE_COUNTS);
  for (size_t i = 0; i < clusters.count; i++) {
    EXPECT(kind.lists[i + 1] - kind.lists[i] == 1 && text_is(&kind, kind.lists[i], "hotel"));
    EXPECT(((const int64_t *)kind.values)[kind.lists[i]] == clusters.point_count[i]);
  }
  treeline_table_free(values);

  // A cluster under the filter has the members that pass, and values of their own.
  treeline_table *members;
  NO_ERROR(members = treeline_members(hotels, clusters.id[0], 0, SIZE_MAX / 2, &error));
  size_t count = treeline_table_row_count(members);
  EXPECT((int64_t)count == clusters.point_count[0]);
  NO_ERROR(values = treeline_values(hotels, "price", integers(members, "tree_index"), count, &error));
  for (size_t i = 0; i < count; i++) {
    int64_t row = integers(members, "row")[i];
    EXPECT(is_cheap_hotel((int)row) && doubles(values, "price")[i] == prices[row]);
  }
  treeline_table_free(values);
  NO_ERROR(values = treeline_values(hotels, "opened", integers(members, "tree_index"), count, &error));
  treeline_array times = array_named(values, "opened");
  for (size_t i = 0; i < count; i++) {
    int64_t row = integers(members, "row")[i];
    bool is_valid = !times.validity || times.validity[i / 8] >> (i % 8) & 1;
    EXPECT(is_valid == (row % 13 != 0));
    if (row == 1)
      EXPECT(text_is(&times, i, "1970-01-02"));
  }
  treeline_table_free(values);
  treeline_table_free(members);

  // A transition to the same view without the filter accounts for every point.
  treeline_answer *everything;
  NO_ERROR(all = treeline_select(hotels, NULL, &error));
  NO_ERROR(everything = treeline_clusters(all, "limit=9", NULL, &error));
  treeline_table *change;
  NO_ERROR(change = treeline_transition(answer, everything, &error));
  size_t rows = treeline_table_row_count(change);
  const int64_t *kinds_of_change = integers(change, "change");
  const int64_t *from = integers(change, "from"), *to = integers(change, "to");
  bool seen[9] = {false};
  for (size_t i = 0; i < rows; i++) {
    EXPECT(kinds_of_change[i] >= 0 && kinds_of_change[i] <= 4);
    EXPECT((from[i] < 0) == (kinds_of_change[i] == 3) && (to[i] < 0) == (kinds_of_change[i] == 4));
    if (to[i] >= 0)
      seen[to[i]] = true;
  }
  for (size_t i = 0; i < treeline_answer_count(everything); i++)
    EXPECT(seen[i]);
  EXPECT(sum(integers(change, "filtered_out"), rows) == 0);
  EXPECT(sum(integers(change, "filtered_in"), rows) <= POINTS - passing);
  EXPECT(sum(integers(change, "hidden"), rows) == 0);
  treeline_table_free(change);

  int64_t missing;
  treeline_table *histogram;
  NO_ERROR(histogram = treeline_histogram(all, "price", 20, NULL, &missing, &error));
  rows = treeline_table_row_count(histogram);
  EXPECT(rows >= 2 && rows <= 20 && missing == POINTS / 50);
  EXPECT(sum(integers(histogram, "count"), rows) == POINTS - missing);
  EXPECT(doubles(histogram, "from")[1] == doubles(histogram, "to")[0]);
  treeline_table_free(histogram);
  NO_ERROR(histogram = treeline_histogram(all, "opened", 20, "bbox=-10,40,20,60&zoom=4", NULL, &error));
  EXPECT(array_named(histogram, "from").type == TREELINE_TEXTS);
  treeline_table_free(histogram);
  EXPECT_ERROR(treeline_histogram(all, "price", 1, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "2 to 1000 bins");
  EXPECT_ERROR(treeline_histogram(all, "kind", 9, NULL, NULL, &error), TREELINE_ERROR_AGGREGATE, "numbers or times");

  EXPECT_ERROR(treeline_select(tree, "kind != 'hotel'", &error), TREELINE_ERROR_FILTER, "'is not' is written '<>'");
  EXPECT_ERROR(treeline_select(tree, "stars > 3", &error), TREELINE_ERROR_FILTER, "\"price\"");
  EXPECT_ERROR(treeline_aggregate(answer, "sum(kind)", &error), TREELINE_ERROR_AGGREGATE, "kind category");
  EXPECT_ERROR(treeline_aggregate(answer, "sum(", &error), TREELINE_ERROR_AGGREGATE, "character 4");
  int64_t beyond = POINTS;
  EXPECT_ERROR(treeline_values(tree, "price", &beyond, 1, &error), TREELINE_ERROR_ARGUMENT, "tree index");
  EXPECT_ERROR(treeline_values(tree, "stars", NULL, 0, &error), TREELINE_ERROR_FILTER, "\"stars\"");

  // An answer and a tree under a filter outlive the tree that they are of.
  treeline_tree_free(all);
  treeline_tree_free(hotels);
  NO_ERROR(values = treeline_aggregate(answer, "mean(price)", &error));
  EXPECT(doubles(values, "mean_price")[0] < 50);
  treeline_table_free(values);
  treeline_answer_free(answer);
  treeline_answer_free(everything);
}

static void test_queries_that_fail(const treeline_tree *tree) {
  EXPECT_ERROR(treeline_clusters(tree, "limit=0", NULL, &error), TREELINE_ERROR_PARAMETER,
      "'limit' must be 1 or more, found 0.");
  EXPECT_ERROR(treeline_clusters(tree, "spacing=44", NULL, &error), TREELINE_ERROR_PARAMETER, "needs 'zoom'");
  EXPECT_ERROR(
      treeline_clusters(tree, "zom=3", NULL, &error), TREELINE_ERROR_PARAMETER, "'zom' must be no such parameter");
  EXPECT_ERROR(
      treeline_clusters(tree, "min_points=1&zoom=2&detail=9", NULL, &error), TREELINE_ERROR_PARAMETER, "'min_points'");
  EXPECT_ERROR(treeline_clusters(tree, "zoom=3&badges=1", NULL, &error), TREELINE_ERROR_QUERY, "badges need a tree");
  EXPECT_ERROR(treeline_clusters(tree, "bbox=0,9,1,2", NULL, &error), TREELINE_ERROR_QUERY, "south");
  // An error that nobody wants.
  EXPECT(treeline_clusters(tree, "limit=0", NULL, NULL) == NULL);
}

static void test_builds_that_fail(void) {
  EXPECT_ERROR(build("grow=sideways", &error), TREELINE_ERROR_PARAMETER, "split or merge or badges or scatter");
  EXPECT_ERROR(build("grow=merge&split=mean", &error), TREELINE_ERROR_PARAMETER, "nothing is split");
  EXPECT_ERROR(build("group-by=stars", &error), TREELINE_ERROR_ARGUMENT, "\"stars\"");
  Place broken = {.latitude = 95, .longitude = 1};
  treeline_points one = {.x = &broken.longitude, .y = &broken.latitude, .count = 1};
  EXPECT_ERROR(
      treeline_build(&one, NULL, 0, NULL, NULL, &error), TREELINE_ERROR_BUILD, "found longitude 1 and latitude 95");
  double x = 0, y = 0;
  treeline_points origin = {.x = &x, .y = &y, .count = 1};
  treeline_column column = {.name = "kind",
      .type = TREELINE_CODES,
      .values = kinds,
      .kind = "sort",
      .offsets = kind_offsets,
      .bytes = kind_bytes};
  EXPECT_ERROR(treeline_build(&origin, &column, 1, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "found 'sort'");
  column.kind = "number";
  column.entry_count = 3;
  EXPECT(kinds[0] == -1);
  kinds[0] = 1;
  EXPECT_ERROR(treeline_build(&origin, &column, 1, NULL, NULL, &error), TREELINE_ERROR_COLUMN,
      "expected a number, found \"hostel\"");
  kinds[0] = -1;
  treeline_points none = {.count = 0};
  treeline_tree *empty;
  NO_ERROR(empty = treeline_build(&none, NULL, 0, NULL, NULL, &error));
  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(empty, "limit=3", NULL, &error));
  EXPECT(treeline_answer_count(answer) == 0);
  treeline_answer_free(answer);
  treeline_tree_free(empty);
}

static void test_growths(void) {
  treeline_tree *badges, *groups, *plain, *members;
  NO_ERROR(badges = build("grow=badges&badge-gap=4&threads=1", &error));
  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(badges, "zoom=5&badges=1", NULL, &error));
  treeline_extents_arrays extents;
  treeline_answer_extents(answer, &extents);
  for (size_t i = 0; i < extents.count; i++)
    EXPECT(extents.badge_diameter[i] >= 8);
  treeline_answer_free(answer);
  treeline_tree_free(badges);

  NO_ERROR(members = build("grow=merge&stand=member", &error));
  treeline_facts facts;
  treeline_tree_facts(members, &facts);
  EXPECT(strcmp(facts.stand, "member") == 0 && strcmp(facts.growth, "merge:distance") == 0);
  treeline_tree_free(members);

  // One cluster for each kind and one for those without, however few are asked for.
  EXPECT(build("group-by=kind&never_cluster=never", NULL) == NULL);
  NO_ERROR(groups = build("group-by=kind", &error));
  NO_ERROR(answer = treeline_clusters(groups, "limit=4", NULL, &error));
  EXPECT(treeline_answer_count(answer) == 4);
  treeline_answer_free(answer);
  treeline_tree_free(groups);

  double x[] = {0, 1000, 2000}, y[] = {5, 5, -5};
  treeline_points coordinates = {.x = x, .y = y, .count = 3};
  NO_ERROR(
      plain = treeline_build(&coordinates, NULL, 0, "planar=true&no-separation=true&split=gamma:1.5", NULL, &error));
  treeline_tree_facts(plain, &facts);
  EXPECT(facts.is_planar && !facts.has_separations && facts.west == 0 && fabs(facts.east - 2000) < 1e-3);
  treeline_plane plane;
  EXPECT_ERROR(treeline_hierarchy(plain, 9, &plane, &error), TREELINE_ERROR_QUERY, "separations");
  treeline_tree_free(plain);
}

static void test_hierarchy(const treeline_tree *tree) {
  treeline_plane plane;
  treeline_table *leaves, *curve;
  NO_ERROR(leaves = treeline_hierarchy(tree, 100, &plane, &error));
  size_t rows = treeline_table_row_count(leaves);
  EXPECT(rows > 20 && rows <= 100 && isnan(plane.badge_distance) && !plane.crosses_seam);
  EXPECT(sum(integers(leaves, "count"), rows) == POINTS);
  const int64_t *code = integers(leaves, "code"), *own = integers(leaves, "own_code");
  int64_t least = code[1], greatest = own[0];
  for (size_t i = 0; i < rows; i++) {
    if (i > 0 && code[i] < least) least = code[i];
    if (own[i] > greatest) greatest = own[i];
    EXPECT(integers(leaves, "min_x")[i] <= integers(leaves, "max_x")[i]);
  }
  EXPECT(greatest > 0 && greatest < least);
  treeline_table_free(leaves);
  curve = treeline_badge_curve(tree);
  EXPECT(treeline_table_row_count(curve) == 0);
  treeline_table_free(curve);
  EXPECT_ERROR(treeline_hierarchy(tree, 0, &plane, &error), TREELINE_ERROR_ARGUMENT, "room for one leaf");

  treeline_tree *badges;
  NO_ERROR(badges = build("grow=badges", &error));
  curve = treeline_badge_curve(badges);
  EXPECT(treeline_table_row_count(curve) > 1 && integers(curve, "count")[0] == 1 && doubles(curve, "diameter")[0] == 10);
  treeline_table_free(curve);
  NO_ERROR(leaves = treeline_hierarchy(badges, 100, &plane, &error));
  EXPECT(plane.badge_distance > 0);
  treeline_table_free(leaves);
  treeline_tree_free(badges);
}

static void test_index(const treeline_tree *tree, const char *path) {
  treeline_description description = {.title = "Places", .attribution = "Nobody"};
  NO_ERROR(EXPECT(treeline_save(tree, path, &description, true, &error)));
  treeline_tree *opened;
  NO_ERROR(opened = treeline_open(path, &error));
  EXPECT(treeline_tree_content_hash(opened) == treeline_tree_content_hash(tree));
  treeline_facts facts;
  treeline_tree_facts(opened, &facts);
  EXPECT(strcmp(facts.title, "Places") == 0 && strcmp(facts.attribution, "Nobody") == 0 && strcmp(facts.unit, "") == 0);
  // The same values, and prepared for the same aggregates.
  treeline_answer *first, *second;
  NO_ERROR(first = treeline_clusters(tree, "limit=7", NULL, &error));
  NO_ERROR(second = treeline_clusters(opened, "limit=7", NULL, &error));
  treeline_table *expected, *found;
  const char *aggregates = "sum(price), sum(rooms), distinct(price), count(name)";
  NO_ERROR(expected = treeline_aggregate(first, aggregates, &error));
  NO_ERROR(found = treeline_aggregate(second, aggregates, &error));
  for (size_t i = 0; i < treeline_answer_count(first); i++) {
    EXPECT(doubles(found, "sum_price")[i] == doubles(expected, "sum_price")[i]);
    EXPECT(integers(found, "sum_rooms")[i] == integers(expected, "sum_rooms")[i]);
    EXPECT(integers(found, "distinct_price")[i] == integers(expected, "distinct_price")[i]);
    EXPECT(integers(found, "count_name")[i] == integers(expected, "count_name")[i]);
  }
  treeline_table_free(expected);
  treeline_table_free(found);
  // One that continues, and answers of two trees, which no call mixes.
  treeline_answer *third;
  NO_ERROR(third = treeline_clusters(opened, "limit=8&continuing=true", second, &error));
  EXPECT(treeline_answer_count(third) <= 8);
  EXPECT_ERROR(
      treeline_clusters(opened, "limit=8&continuing=true", first, &error), TREELINE_ERROR_ARGUMENT, "another tree");
  EXPECT_ERROR(treeline_transition(first, second, &error), TREELINE_ERROR_ARGUMENT, "two trees");
  treeline_answer_free(first);
  treeline_answer_free(second);
  treeline_answer_free(third);

  treeline_table *problems;
  NO_ERROR(problems = treeline_verify(path, &error));
  EXPECT(treeline_table_row_count(problems) == 0);
  treeline_table_free(problems);
  // Over its own file, and once more the same.
  NO_ERROR(EXPECT(treeline_save(opened, path, NULL, false, &error)));
  treeline_tree_free(opened);
  NO_ERROR(opened = treeline_open(path, &error));
  treeline_tree_facts(opened, &facts);
  EXPECT(strcmp(facts.title, "Places") == 0);
  treeline_tree_free(opened);

  EXPECT_ERROR(treeline_open("/nowhere/at.all", &error), TREELINE_ERROR_INDEX, "/nowhere/at.all");
  EXPECT_ERROR(treeline_verify("/nowhere/at.all", &error), TREELINE_ERROR_INDEX, "/nowhere/at.all");
  EXPECT_ERROR(treeline_save(tree, "/nowhere/at.all", NULL, false, &error), TREELINE_ERROR_WRITING, "/nowhere/at.all");
  FILE *file = fopen(path, "w");
  fputs("not an index", file);
  fclose(file);
  EXPECT_ERROR(treeline_save(tree, path, NULL, false, &error), TREELINE_ERROR_WRITING, "expected an index or no file");
}

// MARK: Progress, cancelling and threads

typedef struct Progress {
  int calls;
  double last;
  const treeline_cancellation *cancellation;
} Progress;

static void note_progress(void *context, const char *stage, double fraction) {
  Progress *progress = context;
  EXPECT(strlen(stage) > 0 && fraction >= 0 && fraction <= 1);
  progress->calls++;
  progress->last = fraction;
  if (progress->cancellation)
    treeline_cancellation_cancel(progress->cancellation);
}

static void test_monitor(void) {
  treeline_points coordinates = points();
  Progress progress = {0};
  treeline_monitor monitor = {.progress = note_progress, .context = &progress};
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&coordinates, NULL, 0, NULL, &monitor, &error));
  EXPECT(progress.calls > 2 && progress.last == 1);
  treeline_tree_free(tree);

  treeline_cancellation *cancellation = treeline_cancellation_create();
  progress.cancellation = cancellation;
  monitor.cancellation = cancellation;
  EXPECT_ERROR(treeline_build(&coordinates, NULL, 0, NULL, &monitor, &error), TREELINE_ERROR_CANCELLED, "cancelled");
  monitor.progress = NULL;
  EXPECT_ERROR(treeline_build(&coordinates, NULL, 0, NULL, &monitor, &error), TREELINE_ERROR_CANCELLED, "cancelled");
  treeline_cancellation_free(cancellation);
}

static void *query_often(void *context) {
  const treeline_tree *tree = context;
  for (int i = 0; i < 50; i++) {
    char query[80];
    sprintf(query, "zoom=%d&spacing=44", i % 12);
    treeline_answer *answer = treeline_clusters(tree, query, NULL, NULL);
    treeline_extents_arrays extents;
    treeline_answer_extents(answer, &extents);
    treeline_table *values = treeline_aggregate(answer, "median(price), counts(kind)", NULL);
    treeline_table_free(values);
    treeline_answer_free(answer);
  }
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 2)
    return 64;
  make_points();
  EXPECT(strlen(treeline_version()) > 0);
  treeline_tree *tree;
  NO_ERROR(tree = build(NULL, &error));
  test_facts(tree);
  test_answer(tree);
  test_views(tree);
  test_navigation(tree);
  test_filter_and_aggregates(tree);
  test_queries_that_fail(tree);
  test_builds_that_fail();
  test_growths();
  test_hierarchy(tree);
  test_index(tree, arguments[1]);
  test_monitor();
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, query_often, tree);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  treeline_tree_free(tree);
  // Nothing is freed twice, and what is NULL is none.
  treeline_tree_free(NULL);
  treeline_answer_free(NULL);
  treeline_table_free(NULL);
  treeline_error_free(NULL);
  treeline_cancellation_free(NULL);
  free(names);
  if (failures == 0)
    puts("all of the C interface holds");
  return failures == 0 ? 0 : 1;
}
