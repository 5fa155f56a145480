// Tests of building, writing and opening indexes, and of progress and cancellation.
#include "support.h"

void test_builds_that_fail(void) {
  EXPECT_ERROR(build("grow=sideways", &error), TREELINE_ERROR_PARAMETER, "split or merge or badges or scatter");
  EXPECT_ERROR(build("grow=merge&split=mean", &error), TREELINE_ERROR_PARAMETER, "has no splits");
  EXPECT_ERROR(build("for=badges&split=mean", &error), TREELINE_ERROR_PARAMETER, "does not go with a tree split by 'mean'");
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

void test_growths(void) {
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

  NO_ERROR(members = build("for=spacing&anchor=member", &error));
  treeline_facts facts;
  treeline_tree_facts(members, &facts);
  EXPECT(strcmp(facts.anchor, "member") == 0 && strcmp(facts.growth, "merge:distance") == 0);
  treeline_tree_free(members);

  // With a limit of 4, each of the three kinds has one cluster, and so have the points without a kind.
  EXPECT(build("group-by=kind&never_cluster=never", NULL) == NULL);
  NO_ERROR(groups = build("group-by=kind", &error));
  NO_ERROR(answer = treeline_clusters(groups, "limit=4", NULL, &error));
  EXPECT(treeline_answer_count(answer) == 4);
  treeline_answer_free(answer);
  treeline_table *names = treeline_tree_groups(groups);
  treeline_array name = array_named(names, "name");
  size_t kinds = treeline_table_row_count(names);
  EXPECT(kinds > 1 && integers(names, "first")[0] == 0 && integers(names, "end")[kinds - 1] == POINTS);
  for (size_t i = 1; i < kinds; i++)
    EXPECT(integers(names, "first")[i] == integers(names, "end")[i - 1] && !text_is(&name, i, ""));
  treeline_table_free(names);
  treeline_tree_free(groups);

  double x[] = {0, 1000, 2000}, y[] = {5, 5, -5};
  treeline_points coordinates = {.x = x, .y = y, .count = 3};
  NO_ERROR(
      plain = treeline_build(&coordinates, NULL, 0, "planar=true&split=gamma:1.5", NULL, &error));
  treeline_tree_facts(plain, &facts);
  EXPECT(facts.is_planar && !facts.has_separations && strcmp(facts.default_cut, "limit=100") == 0 && facts.west == 0 && fabs(facts.east - 2000) < 1e-3);
  treeline_tree_free(plain);
}

void test_index(const treeline_tree *tree, const char *path) {
  treeline_description description = {.title = "Places", .attribution = "Nobody"};
  NO_ERROR(EXPECT(treeline_save(tree, path, &description, true, &error)));
  treeline_tree *opened;
  NO_ERROR(opened = treeline_open(path, &error));
  EXPECT(treeline_tree_content_hash(opened) == treeline_tree_content_hash(tree));
  treeline_facts facts;
  treeline_tree_facts(opened, &facts);
  EXPECT(strcmp(facts.title, "Places") == 0 && strcmp(facts.attribution, "Nobody") == 0 && strcmp(facts.unit, "") == 0);
  // The opened tree has the same values, and they are prepared for the same aggregates.
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
  // An answer can continue another answer of the same tree. Calls refuse answers of two different trees.
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
  // Saves the tree over its own file, then opens the file again.
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

void test_monitor(void) {
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
