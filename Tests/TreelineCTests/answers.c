// Tests of trees and their answers.
#include "support.h"

void test_facts(const treeline_tree *tree) {
  treeline_facts facts;
  treeline_tree_facts(tree, &facts);
  EXPECT(facts.point_count == POINTS && facts.passing_point_count == POINTS && facts.clipped_point_count == 0);
  EXPECT(strcmp(facts.default_cut, "spacing=44") == 0);
  EXPECT(facts.has_separations && !facts.has_badges && !facts.is_planar);
  EXPECT(strcmp(facts.growth, "merge:distance") == 0 && strcmp(facts.anchor, "mean") == 0);
  // The bounds go the short way around the antimeridian.
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

void test_answer(const treeline_tree *tree) {
  treeline_answer *answer;
  NO_ERROR(answer = treeline_clusters(tree, "zoom=9&spacing=44", NULL, &error));
  treeline_clusters_arrays clusters;
  treeline_answer_arrays(answer, &clusters);
  EXPECT(clusters.count > 4 && clusters.count == treeline_answer_count(answer));
  EXPECT(sum(clusters.point_count, clusters.count) == POINTS);
  // All arrays are in one block of memory, as the header says.
  EXPECT((const char *)clusters.y == (const char *)clusters.id + 7 * 8 * clusters.count);
  for (size_t i = 0; i < clusters.count; i++) {
    EXPECT(clusters.end[i] - clusters.first[i] == clusters.point_count[i]);
    EXPECT(i == 0 || clusters.first[i] == clusters.end[i - 1]);
    EXPECT((clusters.row[i] == -1) == (clusters.point_count[i] > 1));
    EXPECT(treeline_answer_find(answer, clusters.end[i] - 1) == (int64_t)i);

    // Reads the members page by page. They must be the points of the range, and their mean must be the position of the
    // cluster.
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
    // Towns are so small that the mean on the plane differs little from this mean of latitudes.
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

/// Returns how often a text occurs in bytes of the library, and frees the bytes.
static size_t occurrences(const char *text, treeline_bytes *bytes) {
  EXPECT(bytes);
  size_t count, found = 0, length = strlen(text);
  const char *start = treeline_bytes_start(bytes, &count);
  for (size_t i = 0; i + length <= count; i++)
    found += memcmp(start + i, text, length) == 0;
  treeline_bytes_free(bytes);
  return found;
}

void test_geojson(const treeline_tree *tree) {
  treeline_answer *answer, *coarser;
  NO_ERROR(answer = treeline_clusters(tree, "zoom=9&spacing=44", NULL, &error));
  NO_ERROR(coarser = treeline_clusters(tree, "zoom=3&spacing=44", NULL, &error));
  treeline_clusters_arrays clusters;
  treeline_answer_arrays(answer, &clusters);
  EXPECT(occurrences("\"cluster_id\":", treeline_answer_geojson(answer, NULL, NULL)) == clusters.count);
  EXPECT(occurrences("\"ellipse\":", treeline_answer_geojson(answer, NULL, NULL)) == 0);
  EXPECT(occurrences("\"ellipse\":", treeline_answer_geojson(answer, "ellipses=true", NULL)) > 4);
  const char *aggregate = "aggregate=max(price)";
  EXPECT(occurrences("\"max_price\":", treeline_answer_geojson(answer, aggregate, NULL)) == clusters.count);
  char text[99];
  sprintf(text, "\"tree_range\":[%lld,%lld]", (long long)clusters.first[1], (long long)clusters.end[1]);
  EXPECT(occurrences(text, treeline_answer_geojson(answer, "tree_ranges=true", NULL)) == 1);
  EXPECT(occurrences("\"hull\":", treeline_answer_geojson(answer, "hulls=true&members=true", NULL)) == clusters.count);
  EXPECT(occurrences("\"members\":", treeline_answer_geojson(answer, "members=true", NULL)) == clusters.count);
  EXPECT(occurrences("\"whole\":", treeline_transition_geojson(answer, coarser, NULL, NULL)) > 0);
  const char *ending = "\"clusters\":{\"type\":\"FeatureCollection\"";
  EXPECT(occurrences(ending, treeline_transition_geojson(answer, coarser, NULL, NULL)) == 1);

  treeline_table *page;
  NO_ERROR(page = treeline_members(tree, clusters.id[0], 2, 3, &error));
  for (size_t i = 0; i < treeline_table_row_count(page); i++) {
    sprintf(text, "\"index\":%lld,", (long long)integers(page, "row")[i]);
    EXPECT(occurrences(text, treeline_members_geojson(tree, clusters.id[0], 2, 3, "safe-integers=true", NULL)) == 1);
  }
  sprintf(text, "{\"total\":%lld,\"offset\":2,", (long long)clusters.point_count[0]);
  EXPECT(occurrences(text, treeline_members_geojson(tree, clusters.id[0], 2, 3, NULL, NULL)) == 1);
  treeline_table_free(page);

  EXPECT_ERROR(treeline_answer_geojson(answer, "zoom=3", &error), TREELINE_ERROR_PARAMETER, "no parameter 'zoom'");
  EXPECT(occurrences("\"cluster_id\":", treeline_answer_geojson(answer, "indices=1,4&aggregate=count", NULL)) == 2);
  EXPECT_ERROR(treeline_answer_geojson(answer, "indices=4,1", &error), TREELINE_ERROR_PARAMETER, "rising");
  EXPECT_ERROR(treeline_answer_geojson(answer, "indices=-1", &error), TREELINE_ERROR_PARAMETER, "rising");
  EXPECT_ERROR(treeline_answer_geojson(answer, "indices=1000000", &error), TREELINE_ERROR_PARAMETER, "below");
  EXPECT_ERROR(treeline_answer_geojson(answer, "ellipses=1", &error), TREELINE_ERROR_PARAMETER, "true or false");
  EXPECT_ERROR(treeline_answer_geojson(answer, "aggregate=max(", &error), TREELINE_ERROR_AGGREGATE, "max(");
  EXPECT_ERROR(
      treeline_members_geojson(tree, clusters.id[0], 0, 1, "ellipses=true", &error), TREELINE_ERROR_PARAMETER,
      "no parameter 'ellipses'");
  treeline_answer_free(answer);
  treeline_answer_free(coarser);
}

void test_views(const treeline_tree *tree) {
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
  EXPECT_ERROR(treeline_cut_create(tree, "limit=0", &error), TREELINE_ERROR_PARAMETER,
      "'limit' must be a whole number, 1 or more");
  EXPECT_ERROR(treeline_cut_create(tree, "zoom=3", &error), TREELINE_ERROR_PARAMETER, "no parameter 'zoom'");
  treeline_cut_free(cut);
  treeline_cut_free(NULL);
}

void test_navigation(const treeline_tree *tree) {
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
  EXPECT_ERROR(treeline_clusters_with_ids(tree, ids, 2, &error), TREELINE_ERROR_QUERY, "that do not overlap");
  EXPECT_ERROR(treeline_children(tree, UINT64_MAX, &error), TREELINE_ERROR_QUERY, "no cluster with the id");

  double zoom;
  NO_ERROR(treeline_expansion_zoom(tree, whole.id[0], "spacing=44", &zoom, &error));
  char query[80];
  treeline_answer *answer;
  sprintf(query, "spacing=44&zoom=%.17g", fmax(zoom, 0));
  NO_ERROR(answer = treeline_clusters(tree, query, NULL, &error));
  EXPECT(treeline_answer_count(answer) > 1);
  treeline_answer_free(answer);
  EXPECT_ERROR(
      treeline_expansion_zoom(tree, whole.id[0], "limit=4", &zoom, &error), TREELINE_ERROR_QUERY, "found a cut by limit");
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

void test_queries_that_fail(const treeline_tree *tree) {
  EXPECT_ERROR(treeline_clusters(tree, "limit=0", NULL, &error), TREELINE_ERROR_PARAMETER,
      "'limit' must be a whole number, 1 or more, found 0.");
  EXPECT_ERROR(treeline_clusters(tree, "spacing=44", NULL, &error), TREELINE_ERROR_PARAMETER, "needs 'zoom'");
  EXPECT_ERROR(
      treeline_clusters(tree, "zom=3", NULL, &error), TREELINE_ERROR_PARAMETER, "there is no parameter 'zom'");
  EXPECT_ERROR(
      treeline_clusters(tree, "min_points=1&zoom=2&detail=9", NULL, &error), TREELINE_ERROR_PARAMETER, "'min_points'");
  EXPECT_ERROR(treeline_clusters(tree, "zoom=3&badges=1", NULL, &error), TREELINE_ERROR_QUERY, "badges need a tree");
  EXPECT_ERROR(treeline_clusters(tree, "bbox=0,9,1,2", NULL, &error), TREELINE_ERROR_QUERY, "south");
  // The pointer for the error may be NULL.
  EXPECT(treeline_clusters(tree, "limit=0", NULL, NULL) == NULL);
}
