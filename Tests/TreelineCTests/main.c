// Tests all of treeline.h on points for which the right answers are known or can be found by brute force.
// scripts/check/c runs this program under the address sanitizer. The argument is the path of an index to write.
#include "support.h"

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
  NO_ERROR(tree = build("for=spacing", &error));
  test_facts(tree);
  test_answer(tree);
  test_geojson(tree);
  test_views(tree);
  test_navigation(tree);
  test_filter_and_aggregates(tree);
  test_queries_that_fail(tree);
  test_builds_that_fail();
  test_growths();
  test_edits();
  test_index(tree, arguments[1]);
  test_pages(tree, arguments[1]);
  test_monitor();
  test_pieces(arguments[1]);
  test_nulls(tree, arguments[1]);
  test_hostile_calls(tree);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    pthread_create(&threads[i], NULL, query_often, tree);
  for (int i = 0; i < 4; i++)
    pthread_join(threads[i], NULL);
  treeline_tree_free(tree);
  free(names);
  if (failures == 0)
    puts("all of the C interface holds");
  return failures == 0 ? 0 : 1;
}
