// Calls every function with senseless values, and damages the bytes between steps. If a function can report an error,
// it must do so. No function may crash.
#include "support.h"

#include <stdint.h>

static const size_t sizes[] = {1ULL << 53, SIZE_MAX / 2, SIZE_MAX, SIZE_MAX - 1, 1ULL << 63};
static const double numbers[] = {0, -0.0, -1, 0x1p31, 0x1p53, 0x1p63, 1e300, -1e300, NAN, INFINITY, -INFINITY};
static const int64_t integers_of_note[] = {0, -1, 1LL << 31, 1LL << 32, 1LL << 53, INT64_MAX, INT64_MIN};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/// Checks that a call is refused, whatever the message is.
#define REFUSED(call) \
  do { \
    treeline_error *error = NULL; \
    EXPECT(!(call)); \
    EXPECT(error && strlen(treeline_error_message(error)) > 10); \
    treeline_error_free(error); \
  } while (0)
/// Checks that a call returns, whether it is refused or not.
#define ENDS(call, free_result) \
  do { \
    treeline_error *error = NULL; \
    free_result(call); \
    treeline_error_free(error); \
  } while (0)
#define NOTHING(result) ((void)(result))

static double x[] = {1, 2, 3, 4}, y[] = {4, 5, 6, 7};
static const int64_t rows[] = {0, 1, 2, 3};

static void test_sizes(const treeline_tree *tree) {
  treeline_column column = {.name = "v", .type = TREELINE_DOUBLES, .values = x};
  treeline_survey *survey = treeline_survey_create(true);
  treeline_column_survey *columns;
  NO_ERROR(columns = treeline_column_survey_create(&column, 1, &error));
  uint32_t positions[8] = {0}, found[4];
  for (size_t i = 0; i < COUNT(sizes); i++) {
    size_t many = sizes[i];
    treeline_points all = {.x = x, .y = y, .count = many};
    REFUSED(treeline_build(&all, NULL, 0, "planar=true", NULL, &error));
    REFUSED(treeline_survey_add_points(survey, &all, NULL, &error));
    REFUSED(treeline_project(survey, &all, positions, &error));
    all.count = 4;
    REFUSED(treeline_build(&all, &column, many, "planar=true", NULL, &error));
    REFUSED(treeline_column_survey_create(&column, many, &error));
    REFUSED(treeline_column_survey_add_values(columns, &column, 1, rows, many, &error));
    REFUSED(treeline_column_survey_add_values(columns, &column, many, rows, 4, &error));
    treeline_column codes = {.name = "v", .type = TREELINE_CODES, .values = x, .offsets = rows, .bytes = "abc"};
    codes.entry_count = many;
    REFUSED(treeline_build(&all, &codes, 1, "planar=true", NULL, &error));
    REFUSED(treeline_survey_read(x, many, &error));
    REFUSED(treeline_survey_add_survey(survey, x, many, &error));
    REFUSED(treeline_round_read(x, many, &error));
    REFUSED(treeline_pieces_read(x, many, &error));
    REFUSED(treeline_piece_create(x, many, NULL, &error));
    REFUSED(treeline_column_survey_read(x, many, &error));
    REFUSED(treeline_column_survey_add_survey(columns, x, many, 0, &error));
    REFUSED(treeline_entries_read(x, many, &error));
    REFUSED(treeline_encoding_read(x, many, &error));
    REFUSED(treeline_clusters_with_ids(tree, (const uint64_t *)rows, many, &error));
    REFUSED(treeline_values(tree, "price", rows, many, &error));
    REFUSED(treeline_histogram(tree, "price", many, NULL, NULL, &error));
    ENDS(treeline_column_survey_gathering(columns, many, &error), treeline_bytes_free);
    treeline_table *table;
    treeline_answer *root;
    NO_ERROR(root = treeline_root(tree, &error));
    treeline_clusters_arrays arrays;
    treeline_answer_arrays(root, &arrays);
    NO_ERROR(table = treeline_members(tree, arrays.id[0], many, many, &error));
    EXPECT(treeline_table_row_count(table) == 0);
    EXPECT(treeline_table_name(table, many) == NULL);
    treeline_array array;
    treeline_table_column(table, many, &array);
    EXPECT(array.values == NULL);
    treeline_table_free(table);
    treeline_bytes *none;
    NO_ERROR(none = treeline_members_geojson(tree, arrays.id[0], many, many, NULL, &error));
    treeline_bytes_free(none);
    NO_ERROR(table = treeline_members(tree, arrays.id[0], 1, many, &error));
    EXPECT(treeline_table_row_count(table) == POINTS - 1);
    treeline_table_free(table);
    treeline_answer_free(root);
    treeline_round_add_points(NULL, positions, many);
    treeline_pieces_find(NULL, positions, many, found);
    // With this stride, the coordinates would be outside of memory.
    all.x_stride = (ptrdiff_t)many;
    if (many > 1 && all.x_stride != -1 && all.x_stride != -2)
      REFUSED(treeline_build(&all, NULL, 0, "planar=true", NULL, &error));
    all.x_stride = 0;
    column.stride = (ptrdiff_t)many;
    if (column.stride != -1 && column.stride != -2)
      REFUSED(treeline_build(&all, &column, 1, "planar=true", NULL, &error));
    column.stride = 0;
  }
  treeline_column_survey_free(columns);
  treeline_survey_free(survey);
}

static void test_values(const treeline_tree *tree) {
  treeline_cut *cut;
  NO_ERROR(cut = treeline_cut_create(tree, "spacing=44", &error));
  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(tree, "limit=9", NULL, &error));
  char text[400];
  for (size_t i = 0; i < COUNT(numbers); i++) {
    double number = numbers[i];
    for (size_t j = 0; j < COUNT(numbers); j++) {
      treeline_box box = {number, numbers[j], numbers[j], number};
      ENDS(treeline_clusters_in_box(tree, cut, &box, number, NULL, &error), treeline_answer_free);
      ENDS(treeline_clusters_in_box(tree, cut, &box, 3, NULL, &error), treeline_answer_free);
      double other_x[] = {number, 1, numbers[j], 2}, other_y[] = {0, numbers[j], 1, number};
      treeline_points all = {.x = other_x, .y = other_y, .count = 4};
      treeline_column column = {.name = "v", .type = TREELINE_DOUBLES, .values = other_x};
      for (int is_planar = 0; is_planar < 2; is_planar++)
        ENDS(treeline_build(&all, &column, 1, is_planar ? "planar=true" : NULL, NULL, &error), treeline_tree_free);
    }
    const char *names[] = {"zoom", "spacing", "width", "limit", "badges", "badge-gap", "threads", "tile-size"};
    for (size_t j = 0; j < COUNT(names); j++) {
      snprintf(text, sizeof text, "center=%g,%g&width=400&height=400&zoom=3&%s=%g", number, number, names[j], number);
      ENDS(treeline_clusters(tree, text, NULL, &error), treeline_answer_free);
      double zoom;
      ENDS(treeline_expansion_zoom(tree, 1, text, &zoom, &error), NOTHING);
      ENDS(treeline_plan_create(text, &error), treeline_plan_free);
    }
    const char *aggregates[] = {"percentile(price, %.17g)", "top(kind, %.17g)", "sum(price), sum(price), sum(price)"};
    for (size_t j = 0; j < COUNT(aggregates); j++) {
      snprintf(text, sizeof text, aggregates[j], number);
      ENDS(treeline_aggregate(answer, text, &error), treeline_table_free);
    }
    snprintf(text, sizeof text, "price > %.17g AND rooms BETWEEN %.17g AND %.17g", number, number, number);
    ENDS(treeline_select(tree, text, &error), treeline_tree_free);
  }
  for (size_t i = 0; i < COUNT(integers_of_note); i++) {
    int64_t number = integers_of_note[i];
    uint64_t ids[] = {(uint64_t)number, (uint64_t)number, 1};
    ENDS(treeline_clusters_with_ids(tree, ids, 3, &error), treeline_answer_free);
    ENDS(treeline_children(tree, ids[0], &error), treeline_answer_free);
    ENDS(treeline_parent(tree, ids[0], &error), treeline_answer_free);
    ENDS(treeline_members(tree, ids[0], 0, 9, &error), treeline_table_free);
    ENDS(treeline_members_geojson(tree, ids[0], 0, 9, NULL, &error), treeline_bytes_free);
    ENDS(treeline_hull(tree, ids[0], &error), treeline_table_free);
    int64_t indices[] = {number, number};
    if (number != 0)
      REFUSED(treeline_values(tree, "price", indices, 2, &error));
    double zoom;
    ENDS(treeline_unclustered_zoom(tree, number, "spacing=44", &zoom, &error), NOTHING);
    ENDS(treeline_expansion_zoom(tree, ids[0], "spacing=44", &zoom, &error), NOTHING);
    EXPECT(number == 0 || treeline_answer_find(answer, number) == -1);
    EXPECT(number == 0 || treeline_tree_index_of_row(tree, number) == -1);
    treeline_table *table;
    NO_ERROR(table = treeline_transition(answer, answer, &error));
    treeline_table_free(table);
  }
  treeline_answer_free(answer);
  treeline_cut_free(cut);
}

static void test_columns(void) {
  treeline_points all = {.x = x, .y = y, .count = 4};
  const int32_t codes[][4] = {{0, 1, 2, -2}, {0, 3, 1, 1}, {INT32_MIN, 0, 0, 0}, {0, 0, 0, INT32_MAX}};
  const int64_t offsets[][5] = {{0, 1, 0, 2, 3}, {-1, 0, 1, 2, 3}, {0, 1, 2, 3, INT64_MIN}, {0, INT64_MAX, 3, 3, 3}};
  for (int i = 0; i < 4; i++) {
    treeline_column column = {.name = "v", .type = TREELINE_CODES, .values = codes[i], .bytes = "abcd"};
    column.offsets = rows;
    column.entry_count = 3;
    REFUSED(treeline_build(&all, &column, 1, "planar=true", NULL, &error));
    column = (treeline_column){.name = "v", .type = TREELINE_TEXTS, .offsets = offsets[i], .bytes = "abcd"};
    REFUSED(treeline_build(&all, &column, 1, "planar=true", NULL, &error));
  }
  const uint8_t flags[] = {0, 1, 2, 1};
  treeline_column column = {.name = "v", .type = TREELINE_BOOLEANS, .values = flags};
  REFUSED(treeline_build(&all, &column, 1, "planar=true", NULL, &error));
  const double infinite[] = {1, INFINITY, NAN, 2};
  column = (treeline_column){.name = "v", .type = TREELINE_DOUBLES, .values = infinite};
  EXPECT_ERROR(treeline_build(&all, &column, 1, "planar=true", NULL, &error), TREELINE_ERROR_COLUMN, "found inf");
  column = (treeline_column){.name = "v", .type = (treeline_value_type)99, .values = x};
  REFUSED(treeline_build(&all, &column, 1, "planar=true", NULL, &error));
  const int64_t instants[] = {INT64_MAX, INT64_MIN, -1, 1LL << 53};
  const int64_t units[] = {1, 1000, 1000000, 1000000000, 0, -1, INT64_MAX};
  for (size_t i = 0; i < COUNT(units); i++) {
    column = (treeline_column){.name = "v", .type = TREELINE_INSTANTS, .values = instants};
    column.units_per_second = units[i];
    ENDS(treeline_build(&all, &column, 1, "planar=true", NULL, &error), treeline_tree_free);
  }
  // Integers are returned exactly as they were given, up to the greatest integer.
  const int64_t exact[] = {(1LL << 53) + 1, INT64_MAX, INT64_MAX - 1, 1LL << 53};
  column = (treeline_column){.name = "v", .type = TREELINE_INTEGERS, .values = exact};
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&all, &column, 1, "planar=true", NULL, &error));
  treeline_table *table;
  NO_ERROR(table = treeline_values(tree, "v", rows, 4, &error));
  const int64_t *found = integers(table, "v");
  for (int i = 0; i < 4; i++) {
    int count = 0;
    for (int j = 0; j < 4; j++)
      count += found[j] == exact[i];
    EXPECT(count == 1);
  }
  treeline_table_free(table);
  treeline_tree_free(tree);
}

/// Tests values that were not surveyed. There are no codes for such values.
static void test_encoding(void) {
  const int64_t surveyed[] = {0, 1, 6}, others[][3] = {{0, 260, 1}, {-1, 0, 0}, {INT64_MAX, 0, 0}, {255, 0, 0}};
  treeline_column column = {.name = "v", .type = TREELINE_INTEGERS, .values = surveyed};
  treeline_column_survey *survey, *other;
  NO_ERROR(survey = treeline_column_survey_create(&column, 1, &error));
  treeline_bytes *values, *bytes;
  NO_ERROR(values = treeline_column_survey_add_values(survey, &column, 1, rows, 3, &error));
  treeline_bytes_free(values);
  NO_ERROR(bytes = treeline_column_survey_encoding(survey, NULL, &error));
  size_t count;
  const void *start = treeline_bytes_start(bytes, &count);
  treeline_encoding *encoding;
  NO_ERROR(encoding = treeline_encoding_read(start, count, &error));
  uint8_t codes[3];
  for (size_t i = 0; i < COUNT(others); i++) {
    column.values = others[i];
    NO_ERROR(other = treeline_column_survey_create(&column, 1, &error));
    NO_ERROR(values = treeline_column_survey_add_values(other, &column, 1, rows, 3, &error));
    size_t length;
    const void *found = treeline_bytes_start(values, &length);
    EXPECT_ERROR(
        treeline_encoding_encode(encoding, found, length, codes, 3, &error), TREELINE_ERROR_COLUMN, "surveyed");
    for (size_t j = 0; j < COUNT(sizes); j++)
      REFUSED(treeline_encoding_encode(encoding, found, length, codes, sizes[j], &error));
    treeline_bytes_free(values);
    treeline_column_survey_free(other);
  }
  const int64_t far_rows[] = {0, 1, (1LL << 53) + 1};
  REFUSED(treeline_column_survey_add_values(survey, &column, 1, far_rows, 3, &error));
  treeline_encoding_free(encoding);
  treeline_bytes_free(bytes);
  treeline_column_survey_free(survey);
}

// MARK: Damaged bytes

static uint64_t state = 20260501;
static size_t below(size_t count) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (size_t)(state >> 33) % count;
}

/// Damages some of the bytes, again and again. Damaged bytes must be refused.
static void damage(treeline_bytes *bytes, bool (*is_read)(const void *, size_t, treeline_error **)) {
  size_t count;
  const uint8_t *start = treeline_bytes_start(bytes, &count);
  uint8_t *damaged = malloc(count + 1);
  for (int i = 0; i < 300; i++) {
    size_t length = i % 4 == 0 ? below(count) : count;
    memcpy(damaged, start, count);
    for (size_t times = 1 + below(3); times > 0; times--) {
      size_t place = below(count), kind = below(3);
      for (size_t j = place; j < count && j < place + (kind == 0 ? 1 : 8); j++)
        damaged[j] = kind == 0 ? damaged[j] ^ (1 << below(8)) : kind == 1 ? 0xFF : 0;
    }
    if (length < count || memcmp(damaged, start, count) != 0)
      EXPECT_ERROR(is_read(damaged, length, &error), TREELINE_ERROR_PIECES, "expected");
  }
  free(damaged);
  treeline_bytes_free(bytes);
}

static treeline_plan *plan;

#define READER(name, type, call) \
  static bool name(const void *start, size_t count, treeline_error **error) { \
    type *found = call; \
    return found ? (type##_free(found), true) : false; \
  }

READER(reads_survey, treeline_survey, treeline_survey_read(start, count, error))
READER(reads_round, treeline_round, treeline_round_read(start, count, error))
READER(reads_pieces, treeline_pieces, treeline_pieces_read(start, count, error))
READER(reads_task, treeline_piece, treeline_piece_create(start, count, NULL, error))
READER(reads_columns, treeline_column_survey, treeline_column_survey_read(start, count, error))
READER(reads_encoding, treeline_encoding, treeline_encoding_read(start, count, error))

static bool takes_answers(const void *start, size_t count, treeline_error **error) {
  return treeline_plan_take(plan, start, count, error);
}

static void test_damaged_bytes(void) {
  treeline_points all = points();
  static uint32_t positions[2 * POINTS];
  treeline_survey *survey = treeline_survey_create(false);
  NO_ERROR(EXPECT(treeline_survey_add_points(survey, &all, NULL, &error)));
  NO_ERROR(EXPECT(treeline_project(survey, &all, positions, &error)));
  damage(treeline_survey_bytes(survey), reads_survey);
  treeline_survey_free(survey);
  NO_ERROR(plan = treeline_plan_create("split=least-scatter&piece-size=900&most-bins=256", &error));
  treeline_bytes *question;
  while ((question = treeline_plan_round(plan))) {
    size_t count;
    const void *start = treeline_bytes_start(question, &count);
    treeline_round *round;
    NO_ERROR(round = treeline_round_read(start, count, &error));
    // If the answers lack a single point, the plan detects this.
    treeline_round_add_points(round, positions, POINTS - 1);
    damage(question, reads_round);
    damage(treeline_round_answers(round), takes_answers);
    treeline_round_add_points(round, positions + 2 * (POINTS - 1), 1);
    treeline_bytes *answers = treeline_round_answers(round);
    start = treeline_bytes_start(answers, &count);
    NO_ERROR(EXPECT(treeline_plan_take(plan, start, count, &error)));
    treeline_bytes_free(answers);
    treeline_round_free(round);
  }
  treeline_bytes *bytes;
  NO_ERROR(bytes = treeline_plan_pieces(plan, &error));
  treeline_plan_free(plan);
  size_t count;
  const void *start = treeline_bytes_start(bytes, &count);
  treeline_pieces *pieces;
  NO_ERROR(pieces = treeline_pieces_read(start, count, &error));
  damage(bytes, reads_pieces);
  static uint32_t found[POINTS];
  treeline_pieces_find(pieces, positions, POINTS, found);
  NO_ERROR(bytes = treeline_pieces_task(pieces, 0, &error));
  start = treeline_bytes_start(bytes, &count);
  treeline_piece *piece;
  NO_ERROR(piece = treeline_piece_create(start, count, NULL, &error));
  size_t refused = 0;
  for (int64_t i = 0; i < POINTS; i++)
    if (found[i] != 0) {
      treeline_error *error = NULL;
      if (!treeline_piece_add(piece, positions + 2 * i, &i, NULL, 1, &error)) {
        EXPECT(treeline_error_get_kind(error) == TREELINE_ERROR_PIECES);
        refused++;
      }
      treeline_error_free(error);
    }
  EXPECT(refused > POINTS / 4);
  // A piece cannot be written with the points of another piece, even if their number is the same.
  REFUSED(treeline_piece_write(piece, "/nowhere", 1, &error));
  for (size_t i = 0; i < COUNT(sizes); i++) {
    REFUSED(treeline_piece_add(piece, positions, rows, NULL, sizes[i], &error));
    REFUSED(treeline_piece_write(piece, "/nowhere", sizes[i], &error));
    REFUSED(treeline_pieces_task(pieces, sizes[i], &error));
  }
  treeline_piece_free(piece);
  damage(bytes, reads_task);
  treeline_pieces_free(pieces);
  treeline_column columns[COLUMNS_GIVEN];
  treeline_column_survey *column_survey;
  NO_ERROR(column_survey = treeline_column_survey_create(columns, columns_from(0, columns), &error));
  damage(treeline_column_survey_bytes(column_survey), reads_columns);
  NO_ERROR(bytes = treeline_column_survey_encoding(column_survey, NULL, &error));
  damage(bytes, reads_encoding);
  treeline_column_survey_free(column_survey);
  treeline_merging *merging;
  survey = treeline_survey_create(false);
  NO_ERROR(merging = treeline_merging_create(survey, "/tmp/treeline-merging", "for=spacing", NULL, &error));
  NO_ERROR(bytes = treeline_merging_pieces(merging, &error));
  damage(bytes, reads_pieces);
  for (size_t i = 0; i < COUNT(sizes); i++) {
    REFUSED(treeline_merging_add_points(merging, positions, rows, sizes[i], &error));
    REFUSED(treeline_merging_places(merging, sizes[i], sizes[i], found, &error));
  }
  treeline_merging_free(merging);
  treeline_survey_free(survey);
}

void test_hostile_calls(const treeline_tree *tree) {
  test_sizes(tree);
  test_values(tree);
  test_columns();
  test_encoding();
  test_damaged_bytes();
}
