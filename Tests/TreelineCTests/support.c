// The points that all tests share, and functions that compare answers with expected answers.
#include "support.h"

int failures = 0;

// MARK: Points

Place places[POINTS];
double prices[POINTS];
int64_t rooms[POINTS];
uint8_t open_now[POINTS];
int32_t kinds[POINTS];
int64_t opened[POINTS];
uint8_t room_validity[(POINTS + 7) / 8];
int64_t name_offsets[POINTS + 1];
char *names;

const int64_t kind_offsets[] = {0, 5, 11, 14};
const char kind_bytes[] = "hotelhostelbar";

void make_points(void) {
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

static const treeline_column columns[COLUMNS] = {
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

treeline_points points(void) {
  return (treeline_points){.x = &places[0].longitude,
      .x_stride = sizeof(Place),
      .y = &places[0].latitude,
      .y_stride = sizeof(Place),
      .count = POINTS};
}

treeline_tree *build(const char *options, treeline_error **error) {
  treeline_column all[COLUMNS];
  memcpy(all, columns, sizeof columns);
  all[COLUMNS - 1].offsets = name_offsets;
  all[COLUMNS - 1].bytes = names;
  treeline_points coordinates = points();
  return treeline_build(&coordinates, all, COLUMNS, options, NULL, error);
}

// MARK: Errors

/// Checks the kind of an error and a part of its message, and frees the error.
void expect_error(int line, treeline_error *error, treeline_error_kind kind, const char *message) {
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

// MARK: Tables

static size_t column_named(const treeline_table *table, const char *name) {
  for (size_t i = 0; i < treeline_table_column_count(table); i++)
    if (strcmp(treeline_table_name(table, i), name) == 0)
      return i;
  fprintf(stderr, "expected a column '%s'\n", name);
  exit(1);
}

treeline_array array_named(const treeline_table *table, const char *name) {
  treeline_array array;
  treeline_table_column(table, column_named(table, name), &array);
  return array;
}

const int64_t *integers(const treeline_table *table, const char *name) {
  treeline_array array = array_named(table, name);
  EXPECT(array.type == TREELINE_INTEGERS);
  return array.values;
}

const double *doubles(const treeline_table *table, const char *name) {
  treeline_array array = array_named(table, name);
  EXPECT(array.type == TREELINE_DOUBLES);
  return array.values;
}

bool text_is(const treeline_array *array, size_t row, const char *expected) {
  size_t length = array->offsets[row + 1] - array->offsets[row];
  return length == strlen(expected) && memcmp(array->bytes + array->offsets[row], expected, length) == 0;
}

int64_t sum(const int64_t *values, size_t count) {
  int64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += values[i];
  return sum;
}
