// Tests of builds in pieces. In some, steps pass bytes to each other; in others, points come in batches.
#include "support.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PIECE_SIZE = 700 };

static treeline_points part(int number) {
  treeline_points all = points();
  size_t first = all.count * number / PARTS, end = all.count * (number + 1) / PARTS;
  all.x = (const double *)((const char *)all.x + first * all.x_stride);
  all.y = (const double *)((const char *)all.y + first * all.y_stride);
  all.count = end - first;
  return all;
}

/// Returns whether two files are equal, byte for byte.
static bool are_same(const char *first, const char *second) {
  FILE *files[] = {fopen(first, "rb"), fopen(second, "rb")};
  if (!files[0] || !files[1])
    return false;
  int a, b;
  do {
    a = fgetc(files[0]);
    b = fgetc(files[1]);
  } while (a == b && a != EOF);
  fclose(files[0]);
  fclose(files[1]);
  return a == b;
}

static void save_whole(
    const char *options, const treeline_column *columns, size_t column_count, const char *path) {
  treeline_points all = points();
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&all, columns, column_count, options, NULL, &error));
  NO_ERROR(EXPECT(treeline_save(tree, path, NULL, true, &error)));
  treeline_tree_free(tree);
}

/// Returns the survey of all points, added up from surveys of parts.
static treeline_survey *survey_parts(void) {
  treeline_survey *all = treeline_survey_create(false);
  for (int i = PARTS - 1; i >= 0; i--) {
    treeline_survey *own = treeline_survey_create(false);
    treeline_points own_points = part(i);
    uint8_t refused[POINTS];
    NO_ERROR(EXPECT(treeline_survey_add_points(own, &own_points, refused, &error)));
    for (size_t row = 0; row < own_points.count; row++)
      EXPECT(refused[row] == 0);
    treeline_bytes *bytes = treeline_survey_bytes(own);
    size_t count;
    const void *start = treeline_bytes_start(bytes, &count);
    NO_ERROR(EXPECT(treeline_survey_add_survey(all, start, count, &error)));
    EXPECT_ERROR(treeline_survey_add_survey(all, start, count - 1, &error), TREELINE_ERROR_PIECES, "expected");
    treeline_bytes_free(bytes);
    treeline_survey_free(own);
  }
  treeline_bytes *bytes = treeline_survey_bytes(all);
  treeline_survey_free(all);
  size_t count;
  const void *start = treeline_bytes_start(bytes, &count);
  NO_ERROR(all = treeline_survey_read(start, count, &error));
  treeline_bytes_free(bytes);
  return all;
}

/// Returns the plan of the pieces. The answers to its questions are added up from answers of parts.
static treeline_bytes *plan_parts(const char *options, const uint32_t *positions) {
  treeline_plan *plan;
  NO_ERROR(plan = treeline_plan_create(options, &error));
  EXPECT_ERROR(treeline_plan_take(plan, NULL, 0, &error), TREELINE_ERROR_ARGUMENT, "no round is open");
  treeline_bytes *question;
  while ((question = treeline_plan_round(plan))) {
    EXPECT_ERROR(treeline_plan_pieces(plan, &error), TREELINE_ERROR_ARGUMENT, "a round is still open");
    size_t question_length, answer_length;
    const void *start = treeline_bytes_start(question, &question_length);
    treeline_round *all, *own;
    NO_ERROR(all = treeline_round_read(start, question_length, &error));
    for (int i = 0; i < PARTS; i++) {
      size_t first = (size_t)POINTS * i / PARTS, end = (size_t)POINTS * (i + 1) / PARTS;
      NO_ERROR(own = treeline_round_read(start, question_length, &error));
      treeline_round_add_points(own, positions + 2 * first, end - first);
      treeline_bytes *answers = treeline_round_answers(own);
      const void *answer = treeline_bytes_start(answers, &answer_length);
      NO_ERROR(EXPECT(treeline_round_add_answers(all, answer, answer_length, &error)));
      EXPECT_ERROR(treeline_round_add_answers(all, answer, 3, &error), TREELINE_ERROR_PIECES, "expected");
      treeline_bytes_free(answers);
      treeline_round_free(own);
    }
    treeline_bytes *answers = treeline_round_answers(all);
    const void *answer = treeline_bytes_start(answers, &answer_length);
    NO_ERROR(EXPECT(treeline_plan_take(plan, answer, answer_length, &error)));
    treeline_bytes_free(answers);
    treeline_round_free(all);
    treeline_bytes_free(question);
  }
  treeline_bytes *pieces;
  NO_ERROR(pieces = treeline_plan_pieces(plan, &error));
  treeline_plan_free(plan);
  return pieces;
}

/// Merges the points. Replaces their positions by their places.
static treeline_bytes *merge_parts(
    const char *options, const treeline_survey *survey, uint32_t *positions, const char *folder,
    treeline_merging **merging) {
  char scratch[1020];
  snprintf(scratch, sizeof scratch, "%s/merging", folder);
  EXPECT_ERROR(treeline_merging_create(survey, scratch, "split=mean", NULL, &error), TREELINE_ERROR_ARGUMENT, "for=");
  EXPECT_ERROR(treeline_merging_create(survey, scratch, "grow=scatter", NULL, &error), TREELINE_ERROR_BUILD, "scatter");
  NO_ERROR(*merging = treeline_merging_create(survey, scratch, options, NULL, &error));
  static uint32_t places[POINTS];
  EXPECT_ERROR(
      treeline_merging_places(*merging, 0, 1, places, &error), TREELINE_ERROR_ARGUMENT, "not merged yet");
  static int64_t rows[POINTS];
  for (int i = 0; i < POINTS; i++)
    rows[i] = i;
  EXPECT_ERROR(
      treeline_merging_add_points(*merging, positions, NULL, 7, &error), TREELINE_ERROR_ARGUMENT, "the row of each");
  NO_ERROR(EXPECT(treeline_merging_add_points(*merging, positions, rows, 7, &error)));
  NO_ERROR(EXPECT(treeline_merging_add_points(*merging, positions + 14, rows + 7, POINTS - 7, &error)));
  EXPECT_ERROR(treeline_merging_add_points(*merging, positions, rows, 1, &error), TREELINE_ERROR_PIECES, "points");
  treeline_bytes *pieces, *again;
  NO_ERROR(pieces = treeline_merging_pieces(*merging, &error));
  NO_ERROR(again = treeline_merging_pieces(*merging, &error));
  treeline_bytes_free(again);
  EXPECT_ERROR(treeline_merging_add_points(*merging, positions, rows, 1, &error), TREELINE_ERROR_ARGUMENT, "already");
  NO_ERROR(EXPECT(treeline_merging_places(*merging, 0, POINTS, places, &error)));
  EXPECT_ERROR(treeline_merging_places(*merging, 1, POINTS, places, &error), TREELINE_ERROR_ARGUMENT, "points after 1");
  for (int i = 0; i < POINTS; i++) {
    positions[2 * i] = places[i];
    positions[2 * i + 1] = 0;
  }
  return pieces;
}

static void build_piece(
    const treeline_pieces *pieces, size_t number, const uint32_t *positions, const uint32_t *numbers,
    const treeline_encoding *encoding, const uint8_t *codes, const char *folder) {
  size_t width = treeline_encoding_width(encoding);
  treeline_bytes *task;
  NO_ERROR(task = treeline_pieces_task(pieces, number, &error));
  size_t length;
  const void *start = treeline_bytes_start(task, &length);
  treeline_piece *piece;
  NO_ERROR(piece = treeline_piece_create(start, length, width > 0 ? encoding : NULL, &error));
  EXPECT_ERROR(treeline_piece_write(piece, folder, 1, &error), TREELINE_ERROR_PIECES, "found 0");
  for (int64_t row = POINTS - 1; row >= 0; row--)
    if (numbers[row] == number)
      NO_ERROR(EXPECT(treeline_piece_add(piece, positions + 2 * row, &row, codes + width * row, 1, &error)));
  int64_t row = 0;
  EXPECT_ERROR(treeline_piece_add(piece, positions, &row, codes, 1, &error), TREELINE_ERROR_PIECES, "points, found");
  if (width > 0)
    EXPECT_ERROR(
        treeline_piece_add(piece, positions, &row, NULL, 1, &error), TREELINE_ERROR_ARGUMENT, "expected codes");
  EXPECT_ERROR(treeline_piece_write(piece, folder, 0, &error), TREELINE_ERROR_ARGUMENT, "1 to 1024 threads");
  // Writes the piece a second time, as if the first task had been declared lost.
  for (int i = 0; i < 2; i++)
    NO_ERROR(EXPECT(treeline_piece_write(piece, folder, 2, &error)));
  treeline_piece_free(piece);
  treeline_bytes_free(task);
}

static int stage_count;
static void note_stage(void *context, const char *stage, double fraction) {
  EXPECT(!context || strcmp(stage, context) == 0);
  EXPECT(fraction >= 0 && fraction <= 1);
  stage_count++;
}

static void test_steps(
    const char *options, size_t column_count, const char *whole, const char *folder) {
  uint8_t *codes;
  treeline_encoding *encoding = encode_parts(column_count, &codes);
  treeline_survey *survey = survey_parts();
  treeline_extent_facts facts;
  treeline_survey_facts(survey, &facts);
  EXPECT(facts.point_count == POINTS && facts.clipped_point_count == 0 && facts.seam != 0);
  static uint32_t positions[2 * POINTS], uncut[2 * POINTS], numbers[POINTS];
  treeline_points all = points();
  NO_ERROR(EXPECT(treeline_project(survey, &all, positions, &error)));
  treeline_survey *none = treeline_survey_create(false);
  NO_ERROR(EXPECT(treeline_project(none, &all, uncut, &error)));
  treeline_survey_free(none);
  for (int i = 0; i < POINTS; i++)
    EXPECT(uncut[2 * i] - facts.seam == positions[2 * i] && uncut[2 * i + 1] == positions[2 * i + 1]);

  treeline_merging *merging = NULL;
  treeline_bytes *plan = strstr(options, "for=") ? merge_parts(options, survey, positions, folder, &merging)
                                                 : plan_parts(options, positions);
  size_t length;
  const void *start = treeline_bytes_start(plan, &length);
  treeline_pieces *pieces;
  NO_ERROR(pieces = treeline_pieces_read(start, length, &error));
  EXPECT_ERROR(treeline_pieces_read(start, length - 4, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_table *table = treeline_pieces_table(pieces);
  size_t count = treeline_table_row_count(table);
  EXPECT(count > POINTS / PIECE_SIZE && sum(integers(table, "point_count"), count) == POINTS);
  for (size_t i = 0; i < count; i++)
    EXPECT(integers(table, "point_count")[i] <= PIECE_SIZE);
  EXPECT(array_named(table, "is_stack").type == TREELINE_BOOLEANS);
  treeline_table_free(table);
  treeline_pieces_find(pieces, positions, POINTS, numbers);
  char path[1000];
  snprintf(path, sizeof path, "%s/index", folder);
  EXPECT_ERROR(treeline_assemble(pieces, survey, encoding, merging, folder, path, NULL, false, NULL, &error),
      TREELINE_ERROR_WRITING, "piece-0");
  for (size_t i = count; i > 0; i--)
    build_piece(pieces, i - 1, positions, numbers, encoding, codes, folder);
  EXPECT_ERROR(treeline_pieces_task(pieces, count, &error), TREELINE_ERROR_ARGUMENT, "a piece number");
  treeline_monitor monitor = {.progress = note_stage, .context = "writing"};
  NO_ERROR(EXPECT(
      treeline_assemble(pieces, survey, encoding, merging, folder, path, NULL, false, &monitor, &error)));
  EXPECT(stage_count > 0 && are_same(path, whole));
  if (merging)
    EXPECT_ERROR(treeline_assemble(pieces, survey, encoding, NULL, folder, path, NULL, false, NULL, &error),
        TREELINE_ERROR_ARGUMENT, "other pieces");
  none = treeline_survey_create(false);
  EXPECT_ERROR(treeline_assemble(pieces, none, encoding, merging, folder, path, NULL, false, NULL, &error),
      TREELINE_ERROR_ARGUMENT, "found a survey of 0 points");
  treeline_survey_free(none);
  for (size_t i = 0; i < count; i++) {
    char piece[1020];
    snprintf(piece, sizeof piece, "%s/piece-%zu", folder, i);
    EXPECT(unlink(piece) == 0);
  }
  EXPECT(unlink(path) == 0);
  treeline_pieces_free(pieces);
  treeline_bytes_free(plan);
  treeline_merging_free(merging);
  treeline_survey_free(survey);
  treeline_encoding_free(encoding);
  free(codes);
}

static void test_stack(const char *folder, const char *whole) {
  enum { COUNT = 50 };
  double x[COUNT], y[COUNT];
  uint32_t positions[2 * COUNT];
  int64_t rows[COUNT], values[COUNT];
  for (int i = 0; i < COUNT; i++) {
    x[i] = 7;
    y[i] = 50;
    rows[i] = COUNT - 1 - i;
    values[i] = 3 * rows[i];
  }
  treeline_points stack = {.x = x, .y = y, .count = COUNT};
  treeline_survey *survey = treeline_survey_create(false);
  NO_ERROR(EXPECT(treeline_survey_add_points(survey, &stack, NULL, &error)));
  NO_ERROR(EXPECT(treeline_project(survey, &stack, positions, &error)));
  treeline_plan *plan;
  NO_ERROR(plan = treeline_plan_create("piece-size=20", &error));
  treeline_bytes *question = treeline_plan_round(plan);
  size_t length;
  const void *start = treeline_bytes_start(question, &length);
  treeline_round *round;
  NO_ERROR(round = treeline_round_read(start, length, &error));
  treeline_round_add_points(round, positions, COUNT);
  treeline_bytes *answers = treeline_round_answers(round);
  start = treeline_bytes_start(answers, &length);
  NO_ERROR(EXPECT(treeline_plan_take(plan, start, length, &error)));
  EXPECT(treeline_plan_round(plan) == NULL);
  treeline_bytes *bytes;
  NO_ERROR(bytes = treeline_plan_pieces(plan, &error));
  start = treeline_bytes_start(bytes, &length);
  treeline_pieces *pieces;
  NO_ERROR(pieces = treeline_pieces_read(start, length, &error));
  treeline_bytes *task;
  NO_ERROR(task = treeline_pieces_task(pieces, 0, &error));
  start = treeline_bytes_start(task, &length);
  treeline_column column = {.name = "value", .type = TREELINE_INTEGERS, .values = values};
  treeline_column_survey *columns;
  NO_ERROR(columns = treeline_column_survey_create(&column, 1, &error));
  treeline_bytes *found, *made;
  NO_ERROR(found = treeline_column_survey_add_values(columns, &column, 1, rows, COUNT, &error));
  NO_ERROR(made = treeline_column_survey_encoding(columns, NULL, &error));
  size_t found_length, made_length;
  const void *found_start = treeline_bytes_start(found, &found_length);
  const void *made_start = treeline_bytes_start(made, &made_length);
  treeline_encoding *encoding;
  NO_ERROR(encoding = treeline_encoding_read(made_start, made_length, &error));
  uint8_t codes[8 * COUNT];
  EXPECT(treeline_encoding_width(encoding) == 1);
  NO_ERROR(EXPECT(treeline_encoding_encode(encoding, found_start, found_length, codes, COUNT, &error)));
  treeline_piece *piece;
  NO_ERROR(piece = treeline_piece_create(start, length, encoding, &error));
  int64_t wide = (1LL << 53) + 1;
  EXPECT_ERROR(treeline_piece_add(piece, positions, &wide, codes, 1, &error), TREELINE_ERROR_BUILD, "2^53");
  treeline_piece_free(piece);
  NO_ERROR(piece = treeline_piece_create(start, length, encoding, &error));
  NO_ERROR(EXPECT(treeline_piece_add(piece, positions, rows, codes, COUNT, &error)));
  NO_ERROR(EXPECT(treeline_piece_write(piece, folder, 1, &error)));
  char path[1000];
  snprintf(path, sizeof path, "%s/index", folder);
  NO_ERROR(EXPECT(treeline_assemble(pieces, survey, encoding, NULL, folder, path, NULL, false, NULL, &error)));
  for (int i = 0; i < COUNT; i++)
    values[i] = 3 * i;
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&stack, &column, 1, NULL, NULL, &error));
  NO_ERROR(EXPECT(treeline_save(tree, whole, NULL, true, &error)));
  EXPECT(are_same(path, whole));
  treeline_tree_free(tree);
  unlink(path);
  snprintf(path, sizeof path, "%s/piece-0", folder);
  EXPECT(unlink(path) == 0);
  treeline_encoding_free(encoding);
  treeline_bytes_free(found);
  treeline_bytes_free(made);
  treeline_column_survey_free(columns);
  treeline_piece_free(piece);
  treeline_bytes_free(task);
  treeline_pieces_free(pieces);
  treeline_bytes_free(bytes);
  treeline_bytes_free(answers);
  treeline_round_free(round);
  treeline_bytes_free(question);
  treeline_plan_free(plan);
  treeline_survey_free(survey);
}

static void test_stream(const char *whole, const char *path) {
  EXPECT_ERROR(
      treeline_stream_create(path, "split=gamma:2", NULL, 0, NULL, true, &error), TREELINE_ERROR_BUILD, "gamma");
  EXPECT_ERROR(
      treeline_stream_create(path, "speed=high", NULL, 0, NULL, true, &error), TREELINE_ERROR_PARAMETER, "speed");
  treeline_cancellation *cancellation = treeline_cancellation_create();
  for (int is_cancelled = 1; is_cancelled >= 0; is_cancelled--) {
    treeline_stream *stream;
    const char *options = "split=mean&memory=60000&threads=2";
    NO_ERROR(stream = treeline_stream_create(path, options, NULL, 0, NULL, true, &error));
    for (int i = 0; i < PARTS; i++) {
      treeline_points own = part(i);
      NO_ERROR(EXPECT(treeline_stream_add(stream, &own, NULL, NULL, 0, NULL, &error)));
    }
    treeline_monitor monitor = {.progress = note_stage};
    if (is_cancelled) {
      treeline_cancellation_cancel(cancellation);
      monitor.cancellation = cancellation;
      EXPECT_ERROR(treeline_stream_finish(stream, &monitor, &error), TREELINE_ERROR_CANCELLED, "cancelled");
    } else {
      NO_ERROR(EXPECT(treeline_stream_finish(stream, &monitor, &error)));
      EXPECT_ERROR(treeline_stream_finish(stream, &monitor, &error), TREELINE_ERROR_ARGUMENT, "finished");
      treeline_points own = part(0);
      EXPECT_ERROR(
          treeline_stream_add(stream, &own, NULL, NULL, 0, NULL, &error), TREELINE_ERROR_ARGUMENT, "finished");
    }
    treeline_stream_free(stream);
  }
  treeline_cancellation_free(cancellation);
  EXPECT(are_same(path, whole));

  // Invalid coordinates are reported. Their rows count, too.
  double x[] = {1, 2, NAN, 4, 200, 6}, y[] = {1, 2, 3, 4, 5, 6};
  uint8_t refused[6];
  treeline_points some = {.x = x, .y = y, .count = 6};
  treeline_stream *stream;
  NO_ERROR(stream = treeline_stream_create(path, NULL, NULL, 0, NULL, true, &error));
  EXPECT_ERROR(treeline_stream_add(stream, &some, NULL, NULL, 0, NULL, &error), TREELINE_ERROR_BUILD, "row 2");
  NO_ERROR(EXPECT(treeline_stream_add(stream, &some, NULL, NULL, 0, refused, &error)));
  EXPECT(memcmp(refused, (uint8_t[]){0, 0, 1, 0, 1, 0}, 6) == 0);
  NO_ERROR(EXPECT(treeline_stream_finish(stream, NULL, &error)));
  treeline_stream_free(stream);
  treeline_tree *tree;
  NO_ERROR(tree = treeline_open(path, &error));
  EXPECT(treeline_tree_index_of_row(tree, 5) >= 0 && treeline_tree_index_of_row(tree, 4) == -1);
  treeline_facts facts;
  treeline_tree_facts(tree, &facts);
  EXPECT(!facts.has_separations && facts.point_count == 4);
  treeline_tree_free(tree);
}

/// Tests columns of points that come in batches. Declares the kind of the first column, unless `kind` is NULL.
static void test_streamed_columns(const char *whole, const char *path, const char *kind) {
  treeline_column columns[COLUMNS_GIVEN];
  size_t count = columns_from(0, columns);
  if (kind != NULL)
    columns[0].kind = kind;
  save_whole("split=mean", columns, count, whole);
  static int64_t rows[POINTS];
  for (int i = 0; i < POINTS; i++)
    rows[i] = i;
  treeline_stream *stream;
  const char *options = "split=mean&memory=200000&rows=true";
  NO_ERROR(stream = treeline_stream_create(path, options, columns, count, NULL, true, &error));
  for (int i = PARTS - 1; i >= 0; i--) {
    treeline_points own = part(i);
    size_t first = (size_t)POINTS * i / PARTS;
    columns_from(first, columns);
    if (kind != NULL)
      columns[0].kind = kind;
    const int64_t *own_rows = rows + first;
    EXPECT_ERROR(treeline_stream_add(stream, &own, own_rows, columns, count - 1, NULL, &error),
        TREELINE_ERROR_ARGUMENT, "expected values of the columns \"price\", \"rooms\", \"kind\"");
    EXPECT_ERROR(treeline_stream_add(stream, &own, NULL, columns, count, NULL, &error), TREELINE_ERROR_ARGUMENT,
        "the row of each point");
    NO_ERROR(EXPECT(treeline_stream_add(stream, &own, rows + first, columns, count, NULL, &error)));
  }
  NO_ERROR(EXPECT(treeline_stream_finish(stream, NULL, &error)));
  treeline_stream_free(stream);
  EXPECT(are_same(path, whole));
}

void test_pieces(const char *path) {
  char folder[900], whole[1000], streamed[1000];
  snprintf(folder, sizeof folder, "%s.pieces", path);
  snprintf(whole, sizeof whole, "%s.whole", path);
  snprintf(streamed, sizeof streamed, "%s.streamed", path);
  EXPECT(mkdir(folder, 0700) == 0);
  save_whole("split=least-scatter", NULL, 0, whole);
  test_steps("split=least-scatter&piece-size=700&most-bins=256", 0, whole, folder);
  treeline_column columns[COLUMNS_GIVEN];
  save_whole("split=mean", columns, columns_from(0, columns), whole);
  test_steps("split=mean&piece-size=700", COLUMNS_GIVEN, whole, folder);
  save_whole("for=badges&badge-gap=4&anchor=member", columns, columns_from(0, columns), whole);
  test_steps(
      "for=badges&badge-gap=4&anchor=member&piece-size=700&memory=200000&rows=true", COLUMNS_GIVEN, whole, folder);
  test_columns_that_fail();
  test_odd_values();
  test_long_dictionaries();
  save_whole("split=mean", NULL, 0, whole);
  test_stream(whole, streamed);
  test_streamed_columns(whole, streamed, NULL);
  test_streamed_columns(whole, streamed, "number+percentiles+distinct");
  EXPECT_ERROR(treeline_plan_create("piece-size=16", &error), TREELINE_ERROR_PARAMETER, "piece-size");
  EXPECT_ERROR(treeline_plan_create("split=gamma:2", &error), TREELINE_ERROR_BUILD, "gamma");
  EXPECT_ERROR(treeline_round_read("x", 1, &error), TREELINE_ERROR_PIECES, "expected");
  EXPECT_ERROR(treeline_piece_create(NULL, 0, NULL, &error), TREELINE_ERROR_PIECES, "expected");
  test_stack(folder, whole);
  EXPECT(rmdir(folder) == 0 && unlink(whole) == 0 && unlink(streamed) == 0);
}
