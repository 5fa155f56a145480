// Edits of trees, and pages with maps.
#include "support.h"

#include <unistd.h>

static treeline_tree *edited(const treeline_tree *tree, const treeline_edit *edit, treeline_error **error) {
  return treeline_update(tree, edit, NULL, 0, NULL, error);
}

/// Returns a tree of coordinates, which must not be empty.
static treeline_tree *fresh(const double (*coordinates)[2], size_t count, const char *options) {
  treeline_points points = {coordinates[0], 2 * sizeof(double), coordinates[0] + 1, 2 * sizeof(double), count};
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&points, NULL, 0, options, NULL, &error));
  return tree;
}

/// Makes edits of one to six points, and compares each tree with a build.
static void test_random_edits(const char *options) {
  enum { STEPS = 12 };
  static double all[POINTS + 6 * STEPS][2];
  size_t count = POINTS;
  for (size_t row = 0; row < count; row++) {
    all[row][0] = places[row].longitude;
    all[row][1] = places[row].latitude;
  }
  treeline_tree *tree = fresh((const double (*)[2])all, count, options);
  uint64_t state = 7;
  for (int step = 0; step < STEPS; step++) {
    // One row of each of six ranges, so rows rise: two removed, two moved, and two inserted.
    int64_t rows[6];
    for (int i = 0; i < 6; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      rows[i] = (int64_t)(count / 6 * i + (state >> 33) % (count / 6));
    }
    double moved[2][2] = {{2.4, 48.8}, {-0.2, 51.4}}, inserted[2][2] = {{13.5, 52.6}, {2.3 + step / 100.0, 48.9}};
    treeline_edit edit = {
        .removed = rows,
        .removed_count = 2,
        .moved = rows + 2,
        .moved_points = {moved[0], 16, moved[0] + 1, 16, 2},
        .inserted = rows + 4,
        .inserted_points = {inserted[0], 16, inserted[0] + 1, 16, step % 2 ? 2 : 1},
    };
    for (int i = 0; i < 2; i++)
      memcpy(all[rows[2 + i]], moved[i], sizeof moved[i]);
    for (int i = 1; i >= 0; i--)
      memmove(all[rows[i]], all[rows[i] + 1], (--count - rows[i]) * sizeof all[0]);
    for (size_t i = 0; i < edit.inserted_points.count; i++) {
      memmove(all[rows[4 + i] + 1], all[rows[4 + i]], (count++ - rows[4 + i]) * sizeof all[0]);
      memcpy(all[rows[4 + i]], inserted[i], sizeof inserted[i]);
    }
    treeline_tree *next, *built = fresh((const double (*)[2])all, count, options);
    NO_ERROR(next = edited(tree, &edit, &error));
    treeline_facts facts;
    treeline_tree_facts(next, &facts);
    EXPECT(facts.point_count == count);
    EXPECT(treeline_tree_content_hash(next) == treeline_tree_content_hash(built));
    for (int64_t row = 0; row < 5; row++)
      EXPECT(treeline_tree_index_of_row(next, row * 900) == treeline_tree_index_of_row(built, row * 900));
    treeline_tree_free(tree);
    treeline_tree_free(built);
    tree = next;
  }
  treeline_tree_free(tree);
}

static void test_edits_that_fail(void) {
  treeline_tree *tree, *plain;
  NO_ERROR(tree = build("grow=badges&editable=true", &error));
  NO_ERROR(plain = build("grow=badges", &error));
  int64_t rows[] = {3, 9}, swapped[] = {9, 3}, twice[] = {3, 3}, far[] = {POINTS}, below[] = {-1};
  double x[] = {1, 181}, y[] = {1, 1};
  EXPECT_ERROR(edited(plain, &(treeline_edit){0}, &error), TREELINE_ERROR_ARGUMENT, "editable=true");
  treeline_edit edit = {.removed = swapped, .removed_count = 2};
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "found 3 after 9");
  edit.removed = twice;
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "found 3 after 3");
  edit = (treeline_edit){.removed = far, .removed_count = 1};
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "below 5000, found 5000");
  edit.removed = below;
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "found -1");
  edit.removed_count = SIZE_MAX;
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "fit into memory");
  edit = (treeline_edit){
      .removed = rows, .removed_count = 2, .moved = rows, .moved_points = {x, 0, y, 0, 1}};
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "removes and moves row 3");
  edit = (treeline_edit){.moved = rows, .moved_points = {x, 0, y, 0, 2}};
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_EDIT, "in row 9");
  edit = (treeline_edit){.inserted = far, .inserted_points = {x, 0, y, 0, SIZE_MAX}};
  EXPECT_ERROR(edited(tree, &edit, &error), TREELINE_ERROR_ARGUMENT, "18446744073709551615 points");
  edit.inserted_points.count = 1;
  treeline_tree *next;
  NO_ERROR(next = edited(tree, &edit, &error));
  edit.inserted = (int64_t[]){POINTS + 2};
  EXPECT_ERROR(edited(next, &edit, &error), TREELINE_ERROR_ARGUMENT, "below 5002, found 5002");
  treeline_cancellation *cancellation = treeline_cancellation_create();
  treeline_cancellation_cancel(cancellation);
  treeline_monitor monitor = {.cancellation = cancellation};
  static int64_t every[POINTS];
  for (int row = 0; row < POINTS; row++)
    every[row] = row;
  treeline_edit all = {.removed = every, .removed_count = POINTS - 1};
  EXPECT_ERROR(treeline_update(tree, &all, NULL, 0, &monitor, &error), TREELINE_ERROR_CANCELLED, "cancelled");
  treeline_cancellation_free(cancellation);
  // The edits that failed have changed nothing.
  EXPECT(treeline_tree_content_hash(tree) == treeline_tree_content_hash(plain));
  treeline_tree_free(next);
  treeline_tree_free(tree);
  treeline_tree_free(plain);
  NO_ERROR(tree = build("group-by=kind&editable=true", &error));
  EXPECT_ERROR(edited(tree, &all, &error), TREELINE_ERROR_EDIT, "without groups");
  treeline_tree_free(tree);
}

void test_edits(void) {
  test_random_edits("grow=badges&editable=true");
  test_random_edits("grow=merge&editable=true&planar=true");
  test_random_edits("editable=true");
  test_edits_that_fail();
}

static bool has_file(const char *folder, const char *name) {
  char path[6000];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

void test_pages(const treeline_tree *tree, const char *path) {
  // The folder of the test's index has no map.
  char folder[4096];
  snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
  EXPECT_ERROR(treeline_map_page(tree, folder, "Places", NULL, &error), TREELINE_ERROR_PAGE, "files of a map");
  const char *names[] = {"library.js", "map.js", "map.css", "assets.json.gz", "page.html", "site.html"};
  const char *texts[] = {"library", "</script", "", "assets", "{{title}}|{{script}}|{{assets}}|{{basemap}}|{{x", ""};
  char name[5000];
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "%s/%s", folder, names[i]);
    FILE *file = fopen(name, "w");
    EXPECT(file && fputs(texts[i], file) >= 0);
    fclose(file);
  }
  treeline_bytes *page;
  const char *wrong[] = {"{", "5", "[1]", "", "\"\"", "{} {}", "https://example.org/style.json"};
  for (int i = 0; i < 7; i++)
    EXPECT_ERROR(treeline_map_page(tree, folder, NULL, wrong[i], &error), TREELINE_ERROR_ARGUMENT, "expected a basemap");
  EXPECT_ERROR(treeline_map_page(tree, folder, "Caf\xe9", NULL, &error), TREELINE_ERROR_ARGUMENT,
      "expected a title in UTF-8");
  NO_ERROR(page = treeline_map_page(tree, folder, "A & <B>", "\"x\"", &error));
  size_t count;
  const char *start = treeline_bytes_start(page, &count);
  const char *expected = "A &amp; &lt;B>|<\\/script|YXNzZXRz|Ingi|{{x";
  EXPECT(count == strlen(expected) && memcmp(start, expected, count) == 0);
  treeline_bytes_free(page);
  char site[5000];
  snprintf(site, sizeof site, "%s/site/new", folder);
  bool is_written;
  NO_ERROR(is_written = treeline_publish(tree, site, folder, "A & <B>", true, true, &error));
  EXPECT(is_written && has_file(site, "manifest.json") && has_file(site, "map.js") && !has_file(site, "pages"));
  snprintf(site, sizeof site, "%s/site/bare", folder);
  NO_ERROR(is_written = treeline_publish(tree, site, NULL, NULL, false, false, &error));
  EXPECT(is_written && has_file(site, "manifest.json") && has_file(site, "pages") && !has_file(site, "map.js"));
  EXPECT_ERROR(treeline_publish(tree, path, NULL, NULL, false, false, &error), TREELINE_ERROR_WRITING, path);
  EXPECT_ERROR(treeline_publish(tree, site, "/", NULL, false, false, &error), TREELINE_ERROR_PAGE, "files of a map");
  treeline_tree *groups;
  NO_ERROR(groups = build("group-by=kind", &error));
  EXPECT_ERROR(treeline_map_page(groups, folder, NULL, NULL, &error), TREELINE_ERROR_PAGE, "groups");
  EXPECT_ERROR(treeline_publish(groups, site, NULL, NULL, false, false, &error), TREELINE_ERROR_PAGE, "groups");
  treeline_tree_free(groups);
}
