// Passes NULL for each pointer of every function. If the function can report an error, it must do so. Otherwise the
// call must do nothing. It must never crash.
#include "support.h"

/// Checks that a call reports an error. One of its arguments is NULL but must not be NULL.
#define IS_TOLD(call) EXPECT_ERROR(call, TREELINE_ERROR_ARGUMENT, "found NULL")
/// Checks that a call succeeds. Either one of its arguments may be NULL, or the call cannot fail and its pointer for an
/// error is NULL.
#define IS_ALLOWED(call) NO_ERROR(EXPECT(call))

static double x[] = {1, 2, 3}, y[] = {4, 5, 6};
static const treeline_points three = {.x = x, .y = y, .count = 3};
static const int64_t rows[] = {0, 1, 2};
static const treeline_column size = {.name = "size", .type = TREELINE_DOUBLES, .values = x};

static void test_trees(const char *path) {
  IS_TOLD(treeline_build(NULL, &size, 1, NULL, NULL, &error));
  IS_TOLD(treeline_build(&three, NULL, 1, NULL, NULL, &error));
  treeline_points half = {.x = x, .count = 3};
  IS_TOLD(treeline_build(&half, NULL, 0, NULL, NULL, &error));
  half = (treeline_points){.y = y, .count = 3};
  IS_TOLD(treeline_build(&half, NULL, 0, NULL, NULL, &error));
  treeline_column column = size;
  column.name = NULL;
  IS_TOLD(treeline_build(&three, &column, 1, NULL, NULL, &error));
  column = (treeline_column){.name = "size", .type = TREELINE_INTEGERS};
  IS_TOLD(treeline_build(&three, &column, 1, NULL, NULL, &error));
  column = (treeline_column){.name = "size", .type = TREELINE_TEXTS, .bytes = "abc"};
  IS_TOLD(treeline_build(&three, &column, 1, NULL, NULL, &error));
  column = (treeline_column){.name = "size", .type = TREELINE_TEXTS, .offsets = rows};
  IS_TOLD(treeline_build(&three, &column, 1, NULL, NULL, &error));
  EXPECT(!treeline_build(NULL, NULL, 0, NULL, NULL, NULL));
  treeline_tree *tree;
  IS_ALLOWED((tree = treeline_build(&three, &size, 1, NULL, NULL, &error)));

  IS_TOLD(treeline_open(NULL, &error));
  IS_TOLD(treeline_verify(NULL, &error));
  IS_TOLD(treeline_save(NULL, path, NULL, true, &error));
  IS_TOLD(treeline_save(tree, NULL, NULL, true, &error));
  EXPECT(!treeline_save(tree, NULL, NULL, true, NULL));
  treeline_facts facts = {.point_count = 7};
  treeline_tree_facts(NULL, &facts);
  EXPECT(facts.point_count == 0 && !facts.title);
  treeline_tree_facts(tree, NULL);
  EXPECT(treeline_tree_content_hash(NULL) == 0);
  EXPECT(!treeline_tree_columns(NULL) && !treeline_tree_groups(NULL));
  EXPECT(treeline_tree_index_of_row(NULL, 0) == -1);
  IS_TOLD(treeline_select(NULL, "size > 1", &error));
  treeline_tree *all;
  IS_ALLOWED((all = treeline_select(tree, NULL, &error)));
  treeline_tree_free(all);
  uint8_t mark = 1;
  IS_TOLD(treeline_select_rows(NULL, &mark, 1, &error));
  IS_TOLD(treeline_select_rows(tree, NULL, 1, &error));
  treeline_edit edit = {.removed = NULL, .removed_count = 1};
  IS_TOLD(treeline_update(NULL, &edit, NULL, 0, NULL, &error));
  IS_TOLD(treeline_update(tree, NULL, NULL, 0, NULL, &error));
  IS_TOLD(treeline_map_page(NULL, ".", NULL, NULL, &error));
  IS_TOLD(treeline_map_page(tree, NULL, NULL, NULL, &error));
  IS_TOLD(treeline_publish(NULL, ".", NULL, NULL, false, false, &error));
  IS_TOLD(treeline_publish(tree, NULL, NULL, NULL, false, false, &error));
  treeline_tree_free(tree);
  treeline_tree_free(NULL);
}

static void test_answers(const treeline_tree *tree) {
  IS_TOLD(treeline_clusters(NULL, "limit=2", NULL, &error));
  treeline_answer *answer;
  IS_ALLOWED((answer = treeline_clusters(tree, NULL, NULL, &error)));
  treeline_answer_free(answer);
  IS_ALLOWED((answer = treeline_clusters(tree, "limit=2", NULL, &error)));
  IS_TOLD(treeline_cut_create(NULL, "limit=2", &error));
  treeline_cut *cut;
  IS_ALLOWED((cut = treeline_cut_create(tree, NULL, &error)));
  treeline_cut_free(cut);
  IS_ALLOWED((cut = treeline_cut_create(tree, "limit=2", &error)));
  treeline_box box = {0, 0, 10, 10};
  IS_TOLD(treeline_clusters_in_box(NULL, cut, &box, 3, NULL, &error));
  IS_TOLD(treeline_clusters_in_box(tree, NULL, &box, 3, NULL, &error));
  IS_TOLD(treeline_clusters_in_box(tree, cut, NULL, 3, NULL, &error));
  treeline_cut_free(cut);
  treeline_cut_free(NULL);
  IS_TOLD(treeline_clusters_with_ids(NULL, NULL, 0, &error));
  IS_TOLD(treeline_clusters_with_ids(tree, NULL, 1, &error));
  treeline_answer *none;
  IS_ALLOWED((none = treeline_clusters_with_ids(tree, NULL, 0, &error)));
  treeline_answer_free(none);
  IS_TOLD(treeline_children(NULL, 1, &error));
  IS_TOLD(treeline_parent(NULL, 1, &error));
  IS_TOLD(treeline_root(NULL, &error));
  EXPECT(!treeline_root(NULL, NULL));
  IS_TOLD(treeline_members(NULL, 1, 0, 1, &error));
  IS_TOLD(treeline_search(NULL, "n", NULL, 1, &error));
  IS_TOLD(treeline_search(tree, NULL, NULL, 1, &error));
  IS_TOLD(treeline_hull(NULL, 1, &error));
  double zoom;
  IS_TOLD(treeline_expansion_zoom(NULL, 1, "spacing=44", &zoom, &error));
  IS_TOLD(treeline_expansion_zoom(tree, 1, "spacing=44", NULL, &error));
  EXPECT_ERROR(treeline_expansion_zoom(tree, 1, NULL, &zoom, &error), TREELINE_ERROR_QUERY, "found a cut by limit");
  IS_TOLD(treeline_unclustered_zoom(NULL, 1, "spacing=44", &zoom, &error));
  IS_TOLD(treeline_unclustered_zoom(tree, 1, "spacing=44", NULL, &error));
  EXPECT_ERROR(treeline_unclustered_zoom(tree, 1, NULL, &zoom, &error), TREELINE_ERROR_QUERY, "found a cut by limit");

  EXPECT(treeline_answer_count(NULL) == 0 && treeline_answer_find(NULL, 0) == -1);
  treeline_clusters_arrays arrays = {.count = 7};
  treeline_answer_arrays(NULL, &arrays);
  treeline_answer_arrays(answer, NULL);
  EXPECT(arrays.count == 0 && !arrays.id);
  treeline_extents_arrays extents = {.count = 7};
  treeline_answer_extents(NULL, &extents);
  treeline_answer_extents(answer, NULL);
  EXPECT(extents.count == 0 && !extents.west);
  IS_TOLD(treeline_aggregate(NULL, "count", &error));
  IS_TOLD(treeline_aggregate(answer, NULL, &error));
  IS_TOLD(treeline_transition(NULL, answer, &error));
  IS_TOLD(treeline_transition(answer, NULL, &error));
  IS_TOLD(treeline_answer_geojson(NULL, NULL, &error));
  IS_TOLD(treeline_transition_geojson(NULL, answer, NULL, &error));
  IS_TOLD(treeline_transition_geojson(answer, NULL, NULL, &error));
  IS_TOLD(treeline_members_geojson(NULL, 1, 0, 1, NULL, &error));
  treeline_answer_free(answer);
  treeline_answer_free(NULL);
}

static void test_tables(const treeline_tree *tree) {
  int64_t index = 0, missing;
  IS_TOLD(treeline_values(NULL, "price", &index, 1, &error));
  IS_TOLD(treeline_values(tree, NULL, &index, 1, &error));
  IS_TOLD(treeline_values(tree, "price", NULL, 1, &error));
  IS_TOLD(treeline_histogram(NULL, "price", 5, "bbox=-180,-90,180,90", &missing, &error));
  IS_TOLD(treeline_histogram(tree, NULL, 5, "bbox=-180,-90,180,90", &missing, &error));
  treeline_table *table;
  IS_ALLOWED((table = treeline_histogram(tree, "price", 5, NULL, NULL, &error)));
  EXPECT(treeline_table_row_count(NULL) == 0 && treeline_table_column_count(NULL) == 0);
  EXPECT(!treeline_table_name(NULL, 0));
  treeline_array array = {.type = TREELINE_COUNTS};
  treeline_table_column(NULL, 0, &array);
  treeline_table_column(table, 0, NULL);
  EXPECT(array.type == 0 && !array.values);
  treeline_table_free(table);
  treeline_table_free(NULL);

  EXPECT(treeline_error_get_kind(NULL) == 0 && !treeline_error_message(NULL));
  treeline_error_free(NULL);
  treeline_cancellation_cancel(NULL);
  treeline_cancellation_free(NULL);
}

static void test_streams(const char *path) {
  IS_TOLD(treeline_stream_create(NULL, NULL, NULL, 0, NULL, true, &error));
  IS_TOLD(treeline_stream_create(path, NULL, NULL, 1, NULL, true, &error));
  treeline_stream *stream;
  IS_ALLOWED((stream = treeline_stream_create(path, NULL, &size, 1, NULL, true, &error)));
  IS_TOLD(treeline_stream_add(NULL, &three, NULL, &size, 1, NULL, &error));
  IS_TOLD(treeline_stream_add(stream, NULL, NULL, &size, 1, NULL, &error));
  IS_TOLD(treeline_stream_add(stream, &three, NULL, NULL, 1, NULL, &error));
  treeline_points half = {.x = x, .count = 3};
  IS_TOLD(treeline_stream_add(stream, &half, NULL, &size, 1, NULL, &error));
  IS_TOLD(treeline_stream_finish(NULL, NULL, &error));
  treeline_stream_free(stream);
  treeline_stream_free(NULL);
  IS_ALLOWED((stream = treeline_stream_create(path, "rows=true", &size, 1, NULL, true, &error)));
  EXPECT_ERROR(
      treeline_stream_add(stream, &three, NULL, &size, 1, NULL, &error), TREELINE_ERROR_ARGUMENT, "pass the row of each point");
  treeline_stream_free(stream);
}

static void test_points_of_pieces(void) {
  size_t length = 7;
  EXPECT(!treeline_bytes_start(NULL, &length) && length == 0);
  treeline_bytes_free(NULL);
  EXPECT_ERROR(treeline_survey_read(NULL, 9, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_survey *survey = treeline_survey_create(false);
  IS_TOLD(treeline_survey_add_points(NULL, &three, NULL, &error));
  IS_TOLD(treeline_survey_add_points(survey, NULL, NULL, &error));
  IS_ALLOWED(treeline_survey_add_points(survey, &three, NULL, &error));
  treeline_bytes *bytes = treeline_survey_bytes(survey);
  const void *start = treeline_bytes_start(bytes, NULL);
  EXPECT(start && start == treeline_bytes_start(bytes, &length));
  IS_TOLD(treeline_survey_add_survey(NULL, start, length, &error));
  EXPECT_ERROR(treeline_survey_add_survey(survey, NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_bytes_free(bytes);
  EXPECT(!treeline_survey_bytes(NULL));
  treeline_extent_facts facts = {.point_count = 7};
  treeline_survey_facts(NULL, &facts);
  treeline_survey_facts(survey, NULL);
  EXPECT(facts.point_count == 0);
  uint32_t positions[6], numbers[3];
  IS_TOLD(treeline_project(NULL, &three, positions, &error));
  IS_TOLD(treeline_project(survey, NULL, positions, &error));
  IS_TOLD(treeline_project(survey, &three, NULL, &error));
  IS_ALLOWED(treeline_project(survey, &three, positions, &error));

  EXPECT(!treeline_plan_round(NULL));
  IS_TOLD(treeline_plan_take(NULL, start, 1, &error));
  IS_TOLD(treeline_plan_pieces(NULL, &error));
  treeline_plan *plan;
  IS_ALLOWED((plan = treeline_plan_create(NULL, &error)));
  bytes = treeline_plan_round(plan);
  start = treeline_bytes_start(bytes, &length);
  treeline_round *round;
  EXPECT_ERROR(treeline_round_read(NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  IS_ALLOWED((round = treeline_round_read(start, length, &error)));
  treeline_bytes_free(bytes);
  treeline_round_add_points(NULL, positions, 3);
  treeline_round_add_points(round, NULL, 3);
  treeline_round_add_points(round, positions, 3);
  EXPECT(!treeline_round_answers(NULL));
  bytes = treeline_round_answers(round);
  start = treeline_bytes_start(bytes, &length);
  IS_TOLD(treeline_round_add_answers(NULL, start, length, &error));
  EXPECT_ERROR(treeline_round_add_answers(round, NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  EXPECT_ERROR(treeline_plan_take(plan, NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  IS_ALLOWED(treeline_plan_take(plan, start, length, &error));
  treeline_bytes_free(bytes);
  treeline_round_free(round);
  treeline_round_free(NULL);
  IS_ALLOWED((bytes = treeline_plan_pieces(plan, &error)));
  treeline_plan_free(plan);
  treeline_plan_free(NULL);

  start = treeline_bytes_start(bytes, &length);
  treeline_pieces *pieces;
  EXPECT_ERROR(treeline_pieces_read(NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  IS_ALLOWED((pieces = treeline_pieces_read(start, length, &error)));
  treeline_bytes_free(bytes);
  EXPECT(!treeline_pieces_table(NULL));
  treeline_pieces_find(NULL, positions, 3, numbers);
  treeline_pieces_find(pieces, NULL, 3, numbers);
  treeline_pieces_find(pieces, positions, 3, NULL);
  IS_TOLD(treeline_pieces_task(NULL, 0, &error));
  IS_ALLOWED((bytes = treeline_pieces_task(pieces, 0, &error)));
  start = treeline_bytes_start(bytes, &length);
  treeline_piece *piece;
  EXPECT_ERROR(treeline_piece_create(NULL, length, NULL, &error), TREELINE_ERROR_PIECES, "expected");
  IS_ALLOWED((piece = treeline_piece_create(start, length, NULL, &error)));
  treeline_bytes_free(bytes);
  IS_TOLD(treeline_piece_add(NULL, positions, rows, NULL, 3, &error));
  IS_TOLD(treeline_piece_add(piece, NULL, rows, NULL, 3, &error));
  IS_TOLD(treeline_piece_add(piece, positions, NULL, NULL, 3, &error));
  IS_ALLOWED(treeline_piece_add(piece, positions, rows, NULL, 3, &error));
  IS_TOLD(treeline_piece_write(NULL, "/tmp", 1, &error));
  IS_TOLD(treeline_piece_write(piece, NULL, 1, &error));
  treeline_piece_free(piece);
  treeline_piece_free(NULL);
  IS_TOLD(treeline_assemble(NULL, survey, NULL, NULL, "/tmp", "/tmp/index", NULL, true, NULL, &error));
  IS_TOLD(treeline_assemble(pieces, NULL, NULL, NULL, "/tmp", "/tmp/index", NULL, true, NULL, &error));
  IS_TOLD(treeline_assemble(pieces, survey, NULL, NULL, NULL, "/tmp/index", NULL, true, NULL, &error));
  IS_TOLD(treeline_assemble(pieces, survey, NULL, NULL, "/tmp", NULL, NULL, true, NULL, &error));
  treeline_pieces_free(pieces);
  treeline_pieces_free(NULL);
  treeline_merging *merging;
  IS_TOLD(treeline_merging_create(NULL, "/tmp/merging", "for=badges", NULL, &error));
  IS_TOLD(treeline_merging_create(survey, NULL, "for=badges", NULL, &error));
  EXPECT_ERROR(
      treeline_merging_create(survey, "/tmp/merging", NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "for=badges");
  IS_ALLOWED((merging = treeline_merging_create(survey, "/tmp/merging", "for=badges", NULL, &error)));
  IS_TOLD(treeline_merging_add_points(NULL, positions, rows, 3, &error));
  IS_TOLD(treeline_merging_add_points(merging, NULL, rows, 3, &error));
  IS_ALLOWED(treeline_merging_add_points(merging, positions, NULL, 3, &error));
  IS_TOLD(treeline_merging_pieces(NULL, &error));
  IS_ALLOWED((bytes = treeline_merging_pieces(merging, &error)));
  treeline_bytes_free(bytes);
  IS_TOLD(treeline_merging_places(NULL, 0, 3, numbers, &error));
  IS_TOLD(treeline_merging_places(merging, 0, 3, NULL, &error));
  IS_ALLOWED(treeline_merging_places(merging, 0, 0, NULL, &error));
  treeline_merging_free(merging);
  treeline_merging_free(NULL);
  treeline_survey_free(survey);
  treeline_survey_free(NULL);
}

static void test_columns_of_pieces(void) {
  treeline_column_survey *survey;
  IS_TOLD(treeline_column_survey_create(NULL, 1, &error));
  IS_ALLOWED((survey = treeline_column_survey_create(&size, 1, &error)));
  EXPECT_ERROR(treeline_column_survey_read(NULL, 9, &error), TREELINE_ERROR_PIECES, "expected");
  IS_TOLD(treeline_column_survey_add_values(NULL, &size, 1, rows, 3, &error));
  IS_TOLD(treeline_column_survey_add_values(survey, NULL, 1, rows, 3, &error));
  IS_TOLD(treeline_column_survey_add_values(survey, &size, 1, NULL, 3, &error));
  treeline_bytes *values, *bytes;
  IS_ALLOWED((values = treeline_column_survey_add_values(survey, &size, 1, rows, 3, &error)));
  EXPECT(!treeline_column_survey_bytes(NULL));
  bytes = treeline_column_survey_bytes(survey);
  size_t length;
  const void *start = treeline_bytes_start(bytes, &length);
  IS_TOLD(treeline_column_survey_add_survey(NULL, start, length, 0, &error));
  EXPECT_ERROR(treeline_column_survey_add_survey(survey, NULL, length, 0, &error), TREELINE_ERROR_PIECES, "expected");
  treeline_bytes_free(bytes);

  IS_TOLD(treeline_column_survey_gathering(NULL, 9, &error));
  IS_TOLD(treeline_entries_add_values(NULL, NULL, 0, &error));
  IS_TOLD(treeline_entries_add_entries(NULL, NULL, 0, &error));
  EXPECT_ERROR(treeline_entries_read(NULL, 9, &error), TREELINE_ERROR_PIECES, "expected");
  EXPECT(!treeline_entries_bytes(NULL));
  treeline_entries_free(NULL);

  IS_TOLD(treeline_column_survey_encoding(NULL, NULL, &error));
  IS_ALLOWED((bytes = treeline_column_survey_encoding(survey, NULL, &error)));
  treeline_column_survey_free(survey);
  treeline_column_survey_free(NULL);
  start = treeline_bytes_start(bytes, &length);
  treeline_encoding *encoding;
  EXPECT_ERROR(treeline_encoding_read(NULL, length, &error), TREELINE_ERROR_PIECES, "expected");
  IS_ALLOWED((encoding = treeline_encoding_read(start, length, &error)));
  treeline_bytes_free(bytes);
  EXPECT(treeline_encoding_width(NULL) == 0);
  uint8_t codes[24];
  start = treeline_bytes_start(values, &length);
  IS_TOLD(treeline_encoding_encode(NULL, start, length, codes, 3, &error));
  EXPECT_ERROR(treeline_encoding_encode(encoding, NULL, length, codes, 3, &error), TREELINE_ERROR_PIECES, "expected");
  IS_TOLD(treeline_encoding_encode(encoding, start, length, NULL, 3, &error));
  treeline_bytes_free(values);
  treeline_encoding_free(encoding);
  treeline_encoding_free(NULL);
}

void test_nulls(const treeline_tree *tree, const char *path) {
  test_trees(path);
  test_answers(tree);
  test_tables(tree);
  test_streams(path);
  test_points_of_pieces();
  test_columns_of_pieces();
}
