// Tests of filters, aggregates, transitions and histograms.
#include "support.h"

static bool is_cheap_hotel(int row) { return kinds[row] == 0 && prices[row] < 50; }

static void test_search(const treeline_tree *unsearchable) {
  const double x[] = {-43.2, 2.35, -46.6}, y[] = {-22.9, 48.86, -23.5};
  const char bytes[] = "Rio de São João" "Paris" "São Paulo";
  const int64_t offsets[] = {0, 17, 22, 32};
  treeline_points coordinates = {.x = x, .y = y, .count = 3};
  treeline_column name = {.name = "name", .kind = "+search", .type = TREELINE_TEXTS, .offsets = offsets, .bytes = bytes};
  treeline_tree *tree;
  NO_ERROR(tree = treeline_build(&coordinates, &name, 1, NULL, NULL, &error));
  treeline_table *hits;
  NO_ERROR(hits = treeline_search(tree, "sao", NULL, SIZE_MAX, &error));
  EXPECT(treeline_table_row_count(hits) == 2);
  EXPECT(integers(hits, "row")[0] == 2 && integers(hits, "row")[1] == 0);
  EXPECT(fabs(doubles(hits, "x")[0] + 46.6) < 1e-6);
  treeline_array texts = array_named(hits, "text");
  EXPECT(texts.offsets[1] == 10 && memcmp(texts.bytes, "São Paulo", 10) == 0);
  treeline_table_free(hits);
  NO_ERROR(hits = treeline_search(tree, "SAO", "name", 1, &error));
  EXPECT(treeline_table_row_count(hits) == 1);
  treeline_table_free(hits);
  EXPECT_ERROR(treeline_search(tree, "sao", "title", 1, &error), TREELINE_ERROR_QUERY, "name");
  EXPECT_ERROR(treeline_search(unsearchable, "sao", NULL, 1, &error), TREELINE_ERROR_QUERY, "search");
  treeline_tree_free(tree);
}

void test_filter_and_aggregates(const treeline_tree *tree) {
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
  EXPECT(array_named(values, "max_opened").type == TREELINE_INSTANTS);
  treeline_array kind = array_named(values, "top_kind");
  EXPECT(kind.type == TREELINE_COUNTS);
  for (size_t i = 0; i < clusters.count; i++) {
    EXPECT(kind.lists[i + 1] - kind.lists[i] == 1 && text_is(&kind, kind.lists[i], "hotel"));
    EXPECT(((const int64_t *)kind.values)[kind.lists[i]] == clusters.point_count[i]);
  }
  treeline_table_free(values);

  // In a filtered tree, the members of a cluster are only the points that pass, and its values are computed from them.
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
  EXPECT(times.type == TREELINE_INSTANTS && times.units_per_second == 1);
  for (size_t i = 0; i < count; i++) {
    int64_t row = integers(members, "row")[i];
    bool is_valid = !times.validity || times.validity[i / 8] >> (i % 8) & 1;
    EXPECT(is_valid == (row % 13 != 0));
    EXPECT(((const int64_t *)times.values)[i] == (is_valid ? row * 86400 : INT64_MIN));
  }
  treeline_table_free(values);
  treeline_table_free(members);

  // A transition to the same view without the filter accounts for all points.
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
  EXPECT(array_named(histogram, "from").type == TREELINE_INSTANTS);
  treeline_table_free(histogram);
  EXPECT_ERROR(treeline_histogram(all, "price", 1, NULL, NULL, &error), TREELINE_ERROR_ARGUMENT, "2 to 1000 bins");
  EXPECT_ERROR(treeline_histogram(all, "kind", 9, NULL, NULL, &error), TREELINE_ERROR_AGGREGATE, "numbers or times");

  test_search(all);

  // Marks of rows replace a filter. A filter can then be added to the marks.
  uint8_t marks[POINTS] = {0};
  int64_t marked = 0, marked_hotels = 0;
  for (int row = 0; row < POINTS; row += 3) {
    marks[row] = (uint8_t)(1 + row % 255);
    marked++;
    marked_hotels += is_cheap_hotel(row);
  }
  treeline_tree *some, *both, *back;
  NO_ERROR(some = treeline_select_rows(hotels, marks, POINTS, &error));
  NO_ERROR(both = treeline_select(some, "kind = 'hotel' AND price < 50", &error));
  NO_ERROR(back = treeline_select(both, NULL, &error));
  const treeline_tree *selected[] = {some, both, back};
  int64_t expected[] = {marked, marked_hotels, marked};
  for (int i = 0; i < 3; i++) {
    treeline_tree_facts(selected[i], &facts);
    EXPECT((int64_t)facts.passing_point_count == expected[i] && facts.point_count == POINTS);
  }
  treeline_tree_free(both);
  NO_ERROR(both = treeline_select_rows(some, marks, 1, &error));
  treeline_tree_facts(both, &facts);
  EXPECT(facts.passing_point_count == 1);
  treeline_tree_free(back);
  NO_ERROR(back = treeline_select_rows(some, NULL, 0, &error));
  treeline_tree_facts(back, &facts);
  EXPECT(facts.passing_point_count == 0);
  treeline_tree_free(some);
  treeline_tree_free(both);
  treeline_tree_free(back);

  EXPECT_ERROR(treeline_select(tree, "kind != 'hotel'", &error), TREELINE_ERROR_FILTER, "'is not' is written '<>'");
  EXPECT_ERROR(treeline_select(tree, "stars > 3", &error), TREELINE_ERROR_FILTER, "\"price\"");
  EXPECT_ERROR(treeline_aggregate(answer, "sum(kind)", &error), TREELINE_ERROR_AGGREGATE, "kind category");
  EXPECT_ERROR(treeline_aggregate(answer, "sum(", &error), TREELINE_ERROR_AGGREGATE, "character 5");
  int64_t beyond = POINTS;
  EXPECT_ERROR(treeline_values(tree, "price", &beyond, 1, &error), TREELINE_ERROR_ARGUMENT, "tree index");
  EXPECT_ERROR(treeline_values(tree, "stars", NULL, 0, &error), TREELINE_ERROR_FILTER, "\"stars\"");

  // An answer and a filtered tree stay valid after the tree that they come from is freed.
  treeline_tree_free(all);
  treeline_tree_free(hotels);
  NO_ERROR(values = treeline_aggregate(answer, "mean(price)", &error));
  EXPECT(doubles(values, "mean_price")[0] < 50);
  treeline_table_free(values);
  treeline_answer_free(answer);
  treeline_answer_free(everything);
}
