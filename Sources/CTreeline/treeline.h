/// Treeline for C, and for every language that calls C: trees are built and opened, asked for clusters, and answers
/// read as arrays.
///
/// Objects are opaque and belong to the caller, who frees each by the function of its name. An object may be used by
/// any number of threads at once; it never changes, and nothing is shared but what the caller passes on. What a tree or
/// an answer is needed for, it keeps: a tree may be freed before its answers.
///
/// A function that can fail takes the place of an error as its last argument, and fails with NULL, false or -1. The
/// error is the caller's to free; where the place is NULL, none is made. Its message has the words of the library in
/// Swift. NULL in place of an object, a text or an array is such an error unless it stands for something; a function
/// without a place for errors does nothing then, and returns 0, false, NULL, or -1 where it returns a place. Texts are
/// UTF-8. What is returned as a const pointer is borrowed from its object, and valid as long as that.
///
/// A query is a text of parameters, as it stands in the URLs of the server:
/// "center=2.35,48.86&zoom=11.5&width=1024&height=768&spacing=44". Names and values are those of the tool and the
/// server. NULL is a text without parameters.
///
///     treeline_error *error = NULL;
///     treeline_tree *tree = treeline_open("cities.treeline", &error);
///     treeline_answer *answer = treeline_clusters(tree, "bbox=-1,51,1,52&zoom=9&spacing=44", NULL, &error);
///     treeline_clusters_arrays clusters;
///     treeline_answer_arrays(answer, &clusters);
///     for (size_t i = 0; i < clusters.count; i++)
///       printf("%lld points at %f, %f\n", (long long)clusters.point_count[i], clusters.x[i], clusters.y[i]);
///     treeline_answer_free(answer);
///     treeline_tree_free(tree);
#ifndef TREELINE_H
#define TREELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct treeline_error treeline_error;
/// The hierarchy over some points, under a filter or none.
typedef struct treeline_tree treeline_tree;
/// The clusters of a query.
typedef struct treeline_answer treeline_answer;
/// How a tree is cut, whatever is looked at.
typedef struct treeline_cut treeline_cut;
/// Named columns of as many rows.
typedef struct treeline_table treeline_table;
/// What stops a build.
typedef struct treeline_cancellation treeline_cancellation;

/// The release, such as "0.2.0".
const char *treeline_version(void);

// MARK: Errors

typedef enum treeline_error_kind {
  /// An argument of the function that no value of its type should have been, such as answers of two trees.
  TREELINE_ERROR_ARGUMENT = 1,
  /// A parameter of a query or an option of a build: unknown, missing, out of range, or beside another that excludes
  /// it.
  TREELINE_ERROR_PARAMETER = 2,
  /// A query that this tree has no answer to.
  TREELINE_ERROR_QUERY = 3,
  /// A text that is no filter, or a filter of columns that the tree lacks.
  TREELINE_ERROR_FILTER = 4,
  /// The same of aggregates and histograms.
  TREELINE_ERROR_AGGREGATE = 5,
  /// Points from which no tree can be built.
  TREELINE_ERROR_BUILD = 6,
  /// Values that do not suit their column.
  TREELINE_ERROR_COLUMN = 7,
  /// A file that is no index, or a damaged one.
  TREELINE_ERROR_INDEX = 8,
  /// An index that could not be written.
  TREELINE_ERROR_WRITING = 9,
  /// A build that was cancelled.
  TREELINE_ERROR_CANCELLED = 10,
  /// Bytes or pieces of a build in pieces that none of its steps wrote, or that were damaged since.
  TREELINE_ERROR_PIECES = 11
} treeline_error_kind;

treeline_error_kind treeline_error_get_kind(const treeline_error *error);
/// What was expected, what was found, where, and the remedy.
const char *treeline_error_message(const treeline_error *error);
void treeline_error_free(treeline_error *error);

// MARK: Building

/// Coordinates in degrees, longitudes from -180 to 180 and latitudes from -90 to 90, or plain x and y with the option
/// planar=true. Strides are in bytes; 0 stands for that of a packed array.
typedef struct treeline_points {
  const double *x;
  ptrdiff_t x_stride;
  const double *y;
  ptrdiff_t y_stride;
  size_t count;
} treeline_points;

typedef enum treeline_value_type {
  /// double. NaN is a missing value; infinity is an error.
  TREELINE_DOUBLES = 1,
  /// int64_t.
  TREELINE_INTEGERS = 2,
  /// uint8_t, 0 or 1.
  TREELINE_BOOLEANS = 3,
  /// Texts: text i is bytes[offsets[i]] up to bytes[offsets[i + 1]], as in Arrow.
  TREELINE_TEXTS = 4,
  /// int32_t, each the number of one of entry_count texts; -1 is a missing value, and any other number an error.
  TREELINE_CODES = 5,
  /// int64_t, counted from the beginning of 1970 in UTC, so many a second; INT64_MIN is a missing value.
  TREELINE_INSTANTS = 6,
  /// In answers alone: of each row, how many points have each of some values.
  TREELINE_COUNTS = 7
} treeline_value_type;

/// A column of values, one for each point in the order of the coordinates. A missing value is null, as JSON has it and
/// as the tool takes an empty cell of CSV for. It need not outlive the build.
typedef struct treeline_column {
  const char *name;
  /// number, category, boolean, time, time-ms or text, as of the tool; NULL for what suits the type, which of texts is
  /// found by looking at them. Behind it, or alone, +percentiles and +distinct prepare for these aggregates.
  const char *kind;
  treeline_value_type type;
  /// The values, but of texts.
  const void *values;
  /// In bytes; 0 stands for that of a packed array.
  ptrdiff_t stride;
  /// A bit for each point, the lowest first: 0 is a missing value. NULL where none is missing.
  const uint8_t *validity;
  /// Of texts or of entries: one more than there are.
  const int64_t *offsets;
  const char *bytes;
  /// How many texts codes may stand for.
  size_t entry_count;
  /// Of instants, how many make a second: 1, 1000, 1000000 or 1000000000.
  int64_t units_per_second;
} treeline_column;

/// How a build tells how far it is, and is stopped.
typedef struct treeline_monitor {
  /// Called on the threads that build, never by two at once, at most once for each percent of a stage: "projecting",
  /// "splitting", "merging", "separating", "encoding" (of columns); of a build in pieces "encoding", "projecting",
  /// "planning", of which no fraction is known, "partitioning", "building", "writing", "separating", "writing", and
  /// "encoding" where columns are prepared. May be NULL.
  void (*progress)(void *context, const char *stage, double fraction);
  void *context;
  /// May be NULL.
  const treeline_cancellation *cancellation;
} treeline_monitor;

treeline_cancellation *treeline_cancellation_create(void);
/// Has builds with this cancellation stop within 50 ms, and later ones at once. Any thread may call it.
void treeline_cancellation_cancel(const treeline_cancellation *cancellation);
void treeline_cancellation_free(treeline_cancellation *cancellation);

/// Builds a tree. The same points give the same tree, in any order and on any number of threads.
///
/// Options are those of `treeline build`, as parameters: split=mean, grow=split or merge, badges or scatter,
/// badge-gap=4, stand=member, threads=2, no-separation=true, group-by and never-cluster=the name of a column; and
/// planar=true. By default it is built for every query that a tree which grows so can answer.
///
/// `monitor` may be NULL.
treeline_tree *treeline_build(
    const treeline_points *points, const treeline_column *columns, size_t column_count, const char *options,
    const treeline_monitor *monitor, treeline_error **error);

// MARK: Indexes

/// Maps an index into memory, however large it is.
treeline_tree *treeline_open(const char *path, treeline_error **error);

/// What an index tells people of itself; each may be NULL.
typedef struct treeline_description {
  const char *title;
  const char *attribution;
  const char *unit;
} treeline_description;

/// Writes a tree with its columns as an index, which appears whole or not at all. `description` may be NULL for the one
/// that the tree was opened with. A file that is no index is replaced only if `overwriting`.
bool treeline_save(
    const treeline_tree *tree, const char *path, const treeline_description *description, bool overwriting,
    treeline_error **error);

/// Checks every byte of an index: a table of one column of texts, "problem"; no rows if there is none.
treeline_table *treeline_verify(const char *path, treeline_error **error);

void treeline_tree_free(treeline_tree *tree);

// MARK: Trees

typedef struct treeline_facts {
  size_t point_count;
  /// Those that pass the filter; all without one.
  size_t passing_point_count;
  /// How many points beyond Web Mercator's latitudes were moved to its edge.
  size_t clipped_point_count;
  /// Whether it answers a spacing.
  bool has_separations;
  /// Whether it answers badges.
  bool has_badges;
  /// Whether coordinates are plain x and y.
  bool is_planar;
  /// Around the points that pass; west is greater than east across the antimeridian. NaN where there are none.
  double west, south, east, north;
  /// "least-scatter", "merge:distance" and so on.
  const char *growth;
  /// "mean" or "member": where clusters stand.
  const char *stand;
  /// As the index was written with; "" for none.
  const char *title, *attribution, *unit;
} treeline_facts;

void treeline_tree_facts(const treeline_tree *tree, treeline_facts *facts);

/// A hash of the hierarchy, the same for the same points in any order. Takes time in proportion to the points.
uint64_t treeline_tree_content_hash(const treeline_tree *tree);

/// Name and kind of each column: "name" and "kind", as texts.
treeline_table *treeline_tree_columns(const treeline_tree *tree);

/// The groups that never mix, by name: texts "name", "" for points without one, and integers "first" and "end", the
/// tree indices of their points. No rows for a tree without groups. Points that are never clustered are in none.
treeline_table *treeline_tree_groups(const treeline_tree *tree);

/// The same tree, of which the points that pass a filter count, in CQL2: "kind = 'hotel' AND price < 120". It replaces
/// the filter of the tree; NULL is none. Answers under different filters are of one tree.
treeline_tree *treeline_select(const treeline_tree *tree, const char *filter, treeline_error **error);

/// The tree index of a row; -1 where there is none. Takes time in proportion to the points.
int64_t treeline_tree_index_of_row(const treeline_tree *tree, int64_t row);

// MARK: Answers

/// The clusters of a query, in tree order. Beside cut and viewport, position=mean or member and keep-visible=true or
/// false tell where clusters are shown. `previous` is the answer shown before, for continuing=true, or NULL.
treeline_answer *treeline_clusters(
    const treeline_tree *tree, const char *query, const treeline_answer *previous, treeline_error **error);

/// A cut, and where clusters are shown, as the parameters of a query tell: read once for queries of many views.
treeline_cut *treeline_cut_create(const treeline_tree *tree, const char *parameters, treeline_error **error);
void treeline_cut_free(treeline_cut *cut);

/// Edges included; west may be greater than east, across the antimeridian.
typedef struct treeline_box {
  double west, south, east, north;
} treeline_box;

/// The same as of a query of this cut with a bbox and a zoom. The cut is one of this tree, under whatever filter.
treeline_answer *treeline_clusters_in_box(
    const treeline_tree *tree, const treeline_cut *cut, const treeline_box *box, double zoom,
    const treeline_answer *previous, treeline_error **error);

/// An answer of the clusters with some ids, in any order.
treeline_answer *treeline_clusters_with_ids(
    const treeline_tree *tree, const uint64_t *ids, size_t count, treeline_error **error);

/// The two parts of a cluster, or none where all its points have one position.
treeline_answer *treeline_children(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// The cluster that a cluster is part of, or none.
treeline_answer *treeline_parent(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// The cluster of all points that pass, or none where there are none.
treeline_answer *treeline_root(const treeline_tree *tree, treeline_error **error);

void treeline_answer_free(treeline_answer *answer);

size_t treeline_answer_count(const treeline_answer *answer);

/// An entry for each cluster in each array. They lie in one block in this order, one directly behind the other.
typedef struct treeline_clusters_arrays {
  size_t count;
  /// Holds within this tree, for every query of it; below 2^53.
  const uint64_t *id;
  /// How many points that pass the filter it stands for.
  const int64_t *point_count;
  /// The tree indices of its points: from the first up to the end, which is not included.
  const int64_t *first;
  const int64_t *end;
  /// The row in the input of a single point; -1 for more.
  const int64_t *row;
  /// The tree index of a single point; of a cluster that is shown at one of its points that one's; else -1.
  const int64_t *tree_index;
  /// Where it is shown: longitudes and latitudes, or x and y.
  const double *x;
  const double *y;
} treeline_clusters_arrays;

void treeline_answer_arrays(const treeline_answer *answer, treeline_clusters_arrays *arrays);

/// What is told of the extent of clusters, in arrays that lie in one block as well. It is computed when first asked
/// for.
typedef struct treeline_extents_arrays {
  size_t count;
  /// The box around the points; west is greater than east across the antimeridian.
  const double *west;
  const double *south;
  const double *east;
  const double *north;
  /// The root mean square distance of the points to their mean, in pixels of zoom 24.
  const double *radius;
  /// Standard deviations along the principal axes, in pixels of zoom 24.
  const double *semi_major;
  const double *semi_minor;
  /// The direction of the longer axis: a unit vector to the east and to the south.
  const double *axis_x;
  const double *axis_y;
  /// By badges the diameter in pixels to draw it with; else NaN.
  const double *badge_diameter;
} treeline_extents_arrays;

void treeline_answer_extents(const treeline_answer *answer, treeline_extents_arrays *arrays);

/// The place in the answer of the cluster that holds a point, given its tree index; -1 if none does.
int64_t treeline_answer_find(const treeline_answer *answer, int64_t tree_index);

// MARK: Tables

void treeline_table_free(treeline_table *table);
size_t treeline_table_row_count(const treeline_table *table);
size_t treeline_table_column_count(const treeline_table *table);
const char *treeline_table_name(const treeline_table *table, size_t column);

/// A column of a table. Where a row has no value its bit in `validity` is 0, a double is NaN, an instant INT64_MIN and
/// a text empty.
typedef struct treeline_array {
  treeline_value_type type;
  /// Doubles, integers, booleans, instants; of counts, how many points have each value.
  const void *values;
  /// A bit for each row, the lowest first; NULL where every row has a value.
  const uint8_t *validity;
  /// Of texts, and of the values of counts as texts.
  const int64_t *offsets;
  const char *bytes;
  /// Of counts: those of row i are lists[i] up to lists[i + 1].
  const int64_t *lists;
  /// Of instants, how many make a second: 1, 1000, 1000000 or 1000000000, as many as the column needs.
  int64_t units_per_second;
} treeline_array;

void treeline_table_column(const treeline_table *table, size_t column, treeline_array *array);

/// What is told of the values of each cluster's points: a row for each cluster, a column for each aggregate of a list
/// such as "count, sum(population), top(kind, 3)", named as in GeoJSON: "sum_population". Numbers are integers where
/// they always are, and fit; otherwise the nearest doubles.
treeline_table *treeline_aggregate(const treeline_answer *answer, const char *aggregates, treeline_error **error);

/// What changes between two answers of one tree, a row for everything to be drawn: "from" and "to" are places in the
/// first and in the second answer, -1 for none. "change" is 0 for a cluster of both, 1 for a part of one that is split,
/// 2 for a part of one that others merge into, 3 for one that enters and 4 for one that exits. The first row of a split
/// or merge tells how many points are in no part ("hidden"), and this and each cluster of both how many pass the filter
/// of one answer alone ("filtered_out", "filtered_in"). All are integers.
treeline_table *treeline_transition(const treeline_answer *from, const treeline_answer *to, treeline_error **error);

/// A page of a cluster's points that pass, in tree order: integers "row" and "tree_index", doubles "x" and "y".
treeline_table *treeline_members(
    const treeline_tree *tree, uint64_t id, size_t offset, size_t limit, treeline_error **error);

/// The values that points have in a column, given their tree indices: one column of its name. Numbers are integers in a
/// column of integers alone, else doubles.
treeline_table *treeline_values(
    const treeline_tree *tree, const char *column, const int64_t *tree_indices, size_t count, treeline_error **error);

/// The corners of the convex hull of a cluster's points, counterclockwise on the map: doubles "x" and "y".
treeline_table *treeline_hull(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// How many of the points in view have values in each of at most so many bins of a column, from 2 to 1000: "from" and
/// "to", doubles or, of times, instants, and integers "count". `missing` is how many have no value, and may be NULL.
treeline_table *treeline_histogram(
    const treeline_tree *tree, const char *column, size_t bins, const char *viewport, int64_t *missing,
    treeline_error **error);

// MARK: Pages that answer by themselves

/// What a hierarchy is read with.
typedef struct treeline_plane {
  /// Where the plane's x starts: so many units east of longitude -180.
  uint32_t seam;
  /// Whether nodes may lie across the seam, the shorter way round.
  bool crosses_seam;
  /// In a tree that was grown for badges, by how many units badges of 8 px are farther apart than is asked for; else
  /// NaN.
  double badge_distance;
} treeline_plane;

/// The upper part of a tree with separations, or all of it, as leaves in tree order: single positions, and nodes whose
/// parts are left out so that there are at most so many leaves. From it follows what a spacing or badges show at every
/// scale that it reaches.
///
/// Integers, a row for each leaf: "count"; "min_x", "min_y", "max_x" and "max_y", its box on the plane of 2^32 by 2^32
/// units; "level", "code" and "stand_right" of the node that is split between the leaf before and this one: its level,
/// the code of its separation, and whether it stands where its right child does; "own_code", the code of the leaf
/// itself where its parts are left out, else 0; "sum_x" and "sum_y" of its points from the corner of its box; "stand_x"
/// and "stand_y", where it stands. Doubles: "xx", "xy" and "yy", the covariance of its points.
treeline_table *treeline_hierarchy(
    const treeline_tree *tree, size_t most, treeline_plane *plane, treeline_error **error);

/// With what diameter badges are drawn in a tree that was grown for them: from so many points on, "count", an integer,
/// so many pixels, "diameter", a double. No rows for other trees.
treeline_table *treeline_badge_curve(const treeline_tree *tree);

/// The least zoom at which a cut by pixels, such as "spacing=44&tile-size=512", shows a cluster's parts in its place:
/// NaN if none does, minus infinity if all do.
bool treeline_expansion_zoom(
    const treeline_tree *tree, uint64_t id, const char *cut, double *zoom, treeline_error **error);

/// The zoom from which such a cut shows a point by itself, given its tree index.
bool treeline_unclustered_zoom(
    const treeline_tree *tree, int64_t tree_index, const char *cut, double *zoom, treeline_error **error);

#ifdef __cplusplus
}
#endif

#include "treeline_pieces.h"
#endif
