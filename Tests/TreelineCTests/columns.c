// Tests of columns in builds in pieces: surveys that are added up, and the codes of points.
#include "support.h"

#include <stdint.h>

size_t columns_from(size_t first, treeline_column *columns) {
  columns[0] = (treeline_column){.name = "price", .type = TREELINE_DOUBLES, .values = prices + first};
  columns[1] = (treeline_column){.name = "rooms", .type = TREELINE_INTEGERS, .values = rooms + first};
  columns[2] = (treeline_column){.name = "kind",
      .type = TREELINE_CODES,
      .values = kinds + first,
      .offsets = kind_offsets,
      .bytes = kind_bytes,
      .entry_count = 3};
  return COLUMNS_GIVEN;
}

static treeline_column_survey *copy(const treeline_column_survey *survey) {
  treeline_bytes *bytes = treeline_column_survey_bytes(survey);
  size_t count;
  const void *start = treeline_bytes_start(bytes, &count);
  treeline_column_survey *copied;
  NO_ERROR(copied = treeline_column_survey_read(start, count, &error));
  EXPECT_ERROR(treeline_column_survey_read(start, count - 1, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_bytes_free(bytes);
  return copied;
}

/// Surveys a part, whose rows are counted from 0, and adds this survey to the survey of all parts. Returns the values
/// of the part.
static treeline_bytes *survey_columns(
    treeline_column_survey *all, const treeline_column_survey *none, int number, size_t column_count) {
  static int64_t rows[POINTS];
  for (int i = 0; i < POINTS; i++)
    rows[i] = i;
  size_t first = (size_t)POINTS * number / PARTS, count = (size_t)POINTS * (number + 1) / PARTS - first;
  treeline_column columns[COLUMNS_GIVEN];
  columns_from(first, columns);
  treeline_column_survey *own = copy(none);
  treeline_bytes *values;
  NO_ERROR(values = treeline_column_survey_add_values(own, columns, column_count, rows, count, &error));
  treeline_bytes *bytes = treeline_column_survey_bytes(own);
  size_t length;
  const void *start = treeline_bytes_start(bytes, &length);
  NO_ERROR(EXPECT(treeline_column_survey_add_survey(all, start, length, first, &error)));
  EXPECT_ERROR(
      treeline_column_survey_add_survey(all, start, length, -1, &error), TREELINE_ERROR_ARGUMENT, "found -1");
  treeline_bytes_free(bytes);
  treeline_column_survey_free(own);
  return values;
}

treeline_encoding *encode_parts(size_t column_count, uint8_t **codes) {
  treeline_column columns[COLUMNS_GIVEN];
  columns_from(0, columns);
  treeline_column_survey *none, *all;
  NO_ERROR(none = treeline_column_survey_create(columns, column_count, &error));
  all = copy(none);
  treeline_bytes *values[PARTS];
  for (int i = PARTS - 1; i >= 0; i--)
    values[i] = survey_columns(all, none, i, column_count);
  treeline_bytes *bytes;
  NO_ERROR(bytes = treeline_column_survey_encoding(all, NULL, &error));
  size_t length;
  const void *start = treeline_bytes_start(bytes, &length);
  treeline_encoding *encoding;
  NO_ERROR(encoding = treeline_encoding_read(start, length, &error));
  treeline_bytes_free(bytes);
  size_t width = treeline_encoding_width(encoding);
  // The columns contain up to 10,000 different cents, 97 numbers of rooms, and three kinds. Some values are missing.
  EXPECT(width == (column_count == 0 ? 0 : 2 + 1 + 1));
  *codes = malloc(width * POINTS + 1);
  for (int i = 0; i < PARTS; i++) {
    size_t first = (size_t)POINTS * i / PARTS, count = (size_t)POINTS * (i + 1) / PARTS - first;
    start = treeline_bytes_start(values[i], &length);
    uint8_t *own = *codes + width * first;
    NO_ERROR(EXPECT(treeline_encoding_encode(encoding, start, length, own, count, &error)));
    if (column_count > 0)
      EXPECT_ERROR(treeline_encoding_encode(encoding, start, length, own, count - 1, &error),
          TREELINE_ERROR_ARGUMENT, "expected 3 columns with");
    EXPECT_ERROR(treeline_encoding_encode(encoding, start, length - 1, own, count, &error), TREELINE_ERROR_PIECES,
        "expected");
    treeline_bytes_free(values[i]);
  }
  treeline_column_survey_free(all);
  treeline_column_survey_free(none);
  return encoding;
}

void test_columns_that_fail(void) {
  treeline_column columns[COLUMNS_GIVEN];
  columns_from(0, columns);
  columns[2].kind = "number";
  treeline_column_survey *survey, *other;
  NO_ERROR(survey = treeline_column_survey_create(columns, COLUMNS_GIVEN, &error));
  int64_t rows[] = {7, 8};
  columns_from(1, columns);
  EXPECT_ERROR(treeline_column_survey_add_values(survey, columns, 2, rows, 2, &error), TREELINE_ERROR_ARGUMENT,
      "expected values of the columns \"price\", \"rooms\", \"kind\", found values of the columns \"price\", \"rooms\"");
  EXPECT_ERROR(treeline_column_survey_add_values(survey, columns, 3, NULL, 2, &error), TREELINE_ERROR_ARGUMENT,
      "expected 2 rows, found NULL");
  treeline_bytes *bytes;
  NO_ERROR(bytes = treeline_column_survey_add_values(survey, columns, 3, rows, 2, &error));
  treeline_bytes_free(bytes);
  other = copy(survey);
  EXPECT_ERROR(treeline_column_survey_encoding(other, NULL, &error), TREELINE_ERROR_COLUMN, "row 7");
  treeline_column_survey_free(other);
  // Surveys another part. 100 other rows come before its rows.
  NO_ERROR(other = treeline_column_survey_create(columns, 2, &error));
  bytes = treeline_column_survey_bytes(survey);
  size_t length;
  const void *start = treeline_bytes_start(bytes, &length);
  EXPECT_ERROR(treeline_column_survey_add_survey(other, start, length, 0, &error), TREELINE_ERROR_ARGUMENT,
      "create both surveys with the same columns");
  treeline_column_survey_free(other);
  columns[2].kind = "number";
  NO_ERROR(other = treeline_column_survey_create(columns, 3, &error));
  NO_ERROR(EXPECT(treeline_column_survey_add_survey(other, start, length, 100, &error)));
  EXPECT_ERROR(treeline_column_survey_encoding(other, NULL, &error), TREELINE_ERROR_COLUMN, "row 107");
  treeline_bytes_free(bytes);
  treeline_column_survey_free(other);
  treeline_column_survey_free(survey);
  columns[1].name = "price";
  EXPECT_ERROR(treeline_column_survey_create(columns, 3, &error), TREELINE_ERROR_COLUMN, "twice");
  columns[0].kind = "number+distinct";
  EXPECT_ERROR(treeline_column_survey_create(columns, 1, &error), TREELINE_ERROR_ARGUMENT, "+distinct");
  EXPECT_ERROR(treeline_encoding_read("x", 1, &error), TREELINE_ERROR_PIECES,
      "the stored column encoding: expected 8 bytes or more, found 1");
}

/// Tests texts that are not UTF-8, and the last moments that an index can hold.
void test_odd_values(void) {
  double x[] = {1, 2, 3}, y[] = {4, 5, 6};
  treeline_points all = {.x = x, .y = y, .count = 3};
  const int64_t offsets[] = {0, 1, 4, 5};
  const uint8_t validity = 5;
  treeline_column column = {.name = "v", .type = TREELINE_TEXTS, .offsets = offsets, .bytes = "aCaf\xe9"};
  EXPECT_ERROR(treeline_build(&all, &column, 1, NULL, NULL, &error), TREELINE_ERROR_COLUMN, "UTF-8");
  // Row 1 has the bytes "\xffb\xff", but its value is missing.
  column.bytes = "a\xff" "b\xff" "c";
  column.validity = &validity;
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&all, &column, 1, NULL, NULL, &error));
  treeline_tree_free(tree);
  const int32_t codes[] = {0, 1, 0};
  column = (treeline_column){.name = "v", .type = TREELINE_CODES, .values = codes, .offsets = offsets,
                             .bytes = "a\xc3" "bc", .entry_count = 2};
  EXPECT_ERROR(treeline_build(&all, &column, 1, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "entry 1");
  column = (treeline_column){.name = "Caf\xe9", .type = TREELINE_DOUBLES, .values = x};
  EXPECT_ERROR(treeline_build(&all, &column, 1, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "a column name in UTF-8");
  treeline_points many = {.x = x, .y = y, .count = SIZE_MAX};
  EXPECT_ERROR(treeline_build(&many, NULL, 0, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "18446744073709551615 points");
  const int64_t moments[] = {INT64_MAX, 0, -1};
  column = (treeline_column){.name = "v", .type = TREELINE_INSTANTS, .values = moments, .units_per_second = 1};
  NO_ERROR(tree = treeline_build(&all, &column, 1, NULL, NULL, &error));
  treeline_table *values;
  for (int64_t row = 0; row < 3; row++) {
    int64_t index = treeline_tree_index_of_row(tree, row);
    NO_ERROR(values = treeline_values(tree, "v", &index, 1, &error));
    treeline_array array;
    treeline_table_column(values, 0, &array);
    EXPECT(!array.validity && *(const int64_t *)array.values == moments[row]);
    treeline_table_free(values);
  }
  treeline_tree_free(tree);
}

enum { TEXTS = 70000 };
/// The texts of the numbers from 0 on, one after another.
static char long_texts[8 * TEXTS];
static int64_t long_offsets[TEXTS + 1];

static int compare_texts(const void *first, const void *second) {
  int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
  int64_t lengths[] = {long_offsets[a + 1] - long_offsets[a], long_offsets[b + 1] - long_offsets[b]};
  size_t common = lengths[0] < lengths[1] ? lengths[0] : lengths[1];
  int order = memcmp(long_texts + long_offsets[a], long_texts + long_offsets[b], common);
  return order ? order : (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
}

/// Gathers the entries that a survey requests from the values of all parts.
static treeline_entries *gather_parts(
    const treeline_column_survey *survey, treeline_bytes *const *values, size_t most) {
  treeline_bytes *wanted, *found;
  NO_ERROR(wanted = treeline_column_survey_gathering(survey, most, &error));
  size_t wanted_length, length;
  const void *wanted_start = treeline_bytes_start(wanted, &wanted_length);
  EXPECT(wanted_length > 0);
  EXPECT_ERROR(treeline_entries_read(wanted_start, wanted_length - 1, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_entries *all, *own;
  NO_ERROR(all = treeline_entries_read(wanted_start, wanted_length, &error));
  for (int i = PARTS - 1; i >= 0; i--) {
    NO_ERROR(own = treeline_entries_read(wanted_start, wanted_length, &error));
    const void *start = treeline_bytes_start(values[i], &length);
    NO_ERROR(EXPECT(treeline_entries_add_values(own, start, length, &error)));
    EXPECT_ERROR(treeline_entries_add_values(own, start, length - 1, &error), TREELINE_ERROR_PIECES, "expected");
    found = treeline_entries_bytes(own);
    start = treeline_bytes_start(found, &length);
    // Adding the same entries twice has the same effect as adding them once.
    for (int time = 0; time < 2; time++)
      NO_ERROR(EXPECT(treeline_entries_add_entries(all, start, length, &error)));
    EXPECT_ERROR(treeline_entries_add_entries(all, start, length - 1, &error), TREELINE_ERROR_PIECES, "expected");
    treeline_bytes_free(found);
    treeline_entries_free(own);
  }
  treeline_bytes_free(wanted);
  return all;
}

/// Tests columns with more distinct texts than a survey keeps. All texts are gathered, and the codes of texts are their
/// ranks.
void test_long_dictionaries(void) {
  static int64_t rows[TEXTS], order[TEXTS], ranks[TEXTS];
  for (int i = 0; i < TEXTS; i++) {
    long_offsets[i + 1] = long_offsets[i] + sprintf(long_texts + long_offsets[i], "%d", i);
    rows[i] = order[i] = i;
  }
  qsort(order, TEXTS, sizeof *order, compare_texts);
  for (int i = 0; i < TEXTS; i++)
    ranks[order[i]] = i;
  treeline_column columns[2] = {
      {.name = "number", .type = TREELINE_INTEGERS, .values = rows},
      {.name = "name", .kind = "category", .type = TREELINE_TEXTS, .offsets = long_offsets, .bytes = long_texts}};
  treeline_column_survey *survey;
  NO_ERROR(survey = treeline_column_survey_create(columns, 2, &error));
  treeline_bytes *values[PARTS], *bytes;
  NO_ERROR(bytes = treeline_column_survey_gathering(survey, 0, &error));
  size_t length;
  treeline_bytes_start(bytes, &length);
  EXPECT(length == 0);
  treeline_bytes_free(bytes);
  for (int i = 0; i < PARTS; i++) {
    size_t first = (size_t)TEXTS * i / PARTS, count = (size_t)TEXTS * (i + 1) / PARTS - first;
    columns[0].values = rows + first;
    columns[1].offsets = long_offsets + first;
    NO_ERROR(values[i] = treeline_column_survey_add_values(survey, columns, 2, rows + first, count, &error));
  }
  EXPECT_ERROR(treeline_column_survey_encoding(survey, NULL, &error), TREELINE_ERROR_ARGUMENT, "65,536");

  // Each text has a tag of one byte and an offset of eight bytes.
  size_t most = long_offsets[TEXTS] + 9 * TEXTS;
  treeline_entries *entries = gather_parts(survey, values, most - 1);
  EXPECT_ERROR(treeline_column_survey_encoding(survey, entries, &error), TREELINE_ERROR_BUILD, "Column \"name\"");
  treeline_entries_free(entries);
  entries = gather_parts(survey, values, most);
  NO_ERROR(bytes = treeline_column_survey_encoding(survey, entries, &error));
  const void *start = treeline_bytes_start(bytes, &length);
  treeline_encoding *encoding;
  NO_ERROR(encoding = treeline_encoding_read(start, length, &error));
  EXPECT(treeline_encoding_width(encoding) == 4 + 4);
  treeline_bytes_free(bytes);
  for (int i = 0; i < PARTS; i++) {
    size_t first = (size_t)TEXTS * i / PARTS, count = (size_t)TEXTS * (i + 1) / PARTS - first;
    static uint32_t codes[2 * TEXTS];
    start = treeline_bytes_start(values[i], &length);
    NO_ERROR(EXPECT(treeline_encoding_encode(encoding, start, length, (uint8_t *)codes, count, &error)));
    for (size_t j = 0; j < count; j++)
      EXPECT(codes[2 * j] == first + j && codes[2 * j + 1] == ranks[first + j]);
    treeline_bytes_free(values[i]);
  }
  treeline_encoding_free(encoding);

  // This survey is of other columns.
  treeline_column_survey *other;
  columns[0].name = "size";
  NO_ERROR(other = treeline_column_survey_create(columns, 2, &error));
  NO_ERROR(bytes = treeline_column_survey_add_values(other, columns, 2, rows, 0, &error));
  treeline_bytes_free(bytes);
  EXPECT_ERROR(treeline_column_survey_encoding(other, entries, &error), TREELINE_ERROR_ARGUMENT, "\"size\"");
  treeline_column_survey_free(other);
  treeline_entries_free(entries);
  treeline_column_survey_free(survey);
}
