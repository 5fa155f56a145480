/// Treeline for C, and for every language that calls C. It builds and opens trees, queries their clusters, and returns
/// answers as arrays.
///
/// Objects are opaque. They belong to the caller, who frees each object with the function of its type that ends in
/// _free. Any number of threads may use an object at once: objects never change, and they share only what the caller
/// passes. An object keeps whatever it depends on alive, so a tree may be freed before its answers.
///
/// A function that can fail has a pointer for the error as its last argument. It fails with NULL, false or -1. The
/// caller frees the error; if the pointer is NULL, no error is created. The error has the same message as in the Swift
/// library. Passing NULL for an object, a string or an array is an error, too, unless NULL has a meaning there. If a
/// function has no error argument, it does nothing in this case and returns 0, false, NULL, or -1 instead of an index.
/// Strings are UTF-8. A returned const pointer is borrowed from its object and valid as long as the object.
///
/// A query is a string of parameters, as in the server's URLs:
/// "center=2.35,48.86&zoom=11.5&width=1024&height=768&spacing=44". Names and values are the same as in the command-line
/// tool and the server. NULL stands for a string without parameters.
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
/// The hierarchy over some points, with or without a filter.
typedef struct treeline_tree treeline_tree;
/// The clusters of a query.
typedef struct treeline_answer treeline_answer;
/// A cut of a tree, to be used with any viewport.
typedef struct treeline_cut treeline_cut;
/// Named columns with the same number of rows.
typedef struct treeline_table treeline_table;
/// A means to stop builds.
typedef struct treeline_cancellation treeline_cancellation;
/// Bytes, such as a page, or what one step of a build in pieces passes to another.
typedef struct treeline_bytes treeline_bytes;

/// The release, such as "0.3.0".
const char *treeline_version(void);

// MARK: Errors

typedef enum treeline_error_kind {
  /// An argument that its type allows but the function does not, such as answers of two trees.
  TREELINE_ERROR_ARGUMENT = 1,
  /// A parameter of a query or an option of a build is unknown, missing, out of range, or excluded by another parameter
  /// or option.
  TREELINE_ERROR_PARAMETER = 2,
  /// A query or a search that this tree cannot answer.
  TREELINE_ERROR_QUERY = 3,
  /// A string that is not a valid filter, or a filter that names a column that the tree lacks.
  TREELINE_ERROR_FILTER = 4,
  /// A string that is not a valid list of aggregates, or aggregates and histograms of columns that do not support them.
  TREELINE_ERROR_AGGREGATE = 5,
  /// Points from which no tree can be built.
  TREELINE_ERROR_BUILD = 6,
  /// Values that do not suit their column.
  TREELINE_ERROR_COLUMN = 7,
  /// A file that is not an index, or is damaged.
  TREELINE_ERROR_INDEX = 8,
  /// An index that could not be written.
  TREELINE_ERROR_WRITING = 9,
  /// A build that was cancelled.
  TREELINE_ERROR_CANCELLED = 10,
  /// Bytes or pieces of a build in pieces that were not written by one of its steps, or were damaged later.
  TREELINE_ERROR_PIECES = 11,
  /// An edit that the tree does not support, or a coordinate of an edit that is out of range.
  TREELINE_ERROR_EDIT = 12,
  /// A map that cannot be written, such as one of a tree with groups.
  TREELINE_ERROR_PAGE = 13
} treeline_error_kind;

treeline_error_kind treeline_error_get_kind(const treeline_error *error);
/// What was expected, what was found, where, and the remedy.
const char *treeline_error_message(const treeline_error *error);
void treeline_error_free(treeline_error *error);

// MARK: Building

/// Coordinates in degrees, longitudes from -180 to 180 and latitudes from -90 to 90, or plain x and y with the option
/// planar=true. Strides are in bytes; 0 means a packed array.
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
  /// int32_t, each an index into entry_count texts. -1 is a missing value. Any other number is an error.
  TREELINE_CODES = 5,
  /// int64_t, a number of units since the beginning of 1970 in UTC. INT64_MIN is a missing value.
  TREELINE_INSTANTS = 6,
  /// In answers only: for each row, the number of points that have each of some values.
  TREELINE_COUNTS = 7
} treeline_value_type;

/// A column of values, one for each point, in the order of the coordinates. A missing value is null, as in JSON and
/// like an empty CSV cell in the command-line tool. The column need not outlive the build.
typedef struct treeline_column {
  const char *name;
  /// number, category, boolean, time, time-ms or text, as in the command-line tool. NULL chooses the kind that suits
  /// the type or, for texts, the values. +percentiles and +distinct, after the kind or alone, prepare the column for
  /// these aggregates; +search prepares texts for treeline_search, treelinemap search and the server.
  const char *kind;
  treeline_value_type type;
  /// The values, unless the type is texts.
  const void *values;
  /// Stride in bytes; 0 means a packed array.
  ptrdiff_t stride;
  /// A bit for each point, the lowest bit first. A bit of 0 means a missing value. NULL if no value is missing.
  const uint8_t *validity;
  /// For texts and codes: the offset of each text, and then the end of the last text.
  const int64_t *offsets;
  const char *bytes;
  /// For codes: number of texts.
  size_t entry_count;
  /// For instants: units per second, 1, 1000, 1000000 or 1000000000.
  int64_t units_per_second;
} treeline_column;

/// Reports the progress of a build, and stops it.
typedef struct treeline_monitor {
  /// Called on the threads that build, never by two at once, and at most once for each percent of a stage. The stages
  /// are "projecting", "splitting", "merging", "separating", "encoding" (of columns). The stages of a build in pieces
  /// are "encoding", "projecting", "planning", which has no known fraction, "partitioning", "building", "writing",
  /// "separating", "writing", and "encoding" if columns are prepared. May be NULL.
  void (*progress)(void *context, const char *stage, double fraction);
  void *context;
  /// May be NULL.
  const treeline_cancellation *cancellation;
} treeline_monitor;

treeline_cancellation *treeline_cancellation_create(void);
/// Stops builds with this cancellation within 50 ms, and later builds at once. Any thread may call it.
void treeline_cancellation_cancel(const treeline_cancellation *cancellation);
void treeline_cancellation_free(treeline_cancellation *cancellation);

/// Builds a tree. The same points give the same tree, in any order and on any number of threads.
///
/// The options of `treelinemap build` are parameters here: split=mean, grow=split (or merge, badges, scatter),
/// badge-gap=4, stand=member, threads=2, no-separation=true, and planar=true. The values of group-by and never-cluster
/// are names of columns. By default the tree is built for all queries that trees of its growth can answer. With
/// editable=true the tree keeps the coordinates, 16 bytes a point, for `treeline_update`.
///
/// `monitor` may be NULL.
treeline_tree *treeline_build(
    const treeline_points *points, const treeline_column *columns, size_t column_count, const char *options,
    const treeline_monitor *monitor, treeline_error **error);

// MARK: Edits

/// Points to remove, to move and to insert. Rows of each kind are in rising order, and each row occurs once.
typedef struct treeline_edit {
  /// Rows to remove.
  const int64_t *removed;
  size_t removed_count;
  /// Rows to move, before the edit, and their new coordinates.
  const int64_t *moved;
  treeline_points moved_points;
  /// Rows that inserted points have after the edit, and their coordinates.
  const int64_t *inserted;
  treeline_points inserted_points;
} treeline_edit;

/// Returns the tree after an edit. It equals, byte for byte, a tree built from the points after the edit. The given
/// tree does not change; it must have been built with editable=true, without groups. The result can be edited, too,
/// and has no filter. The other points keep their order, so rows behind removed and inserted points are renumbered.
///
/// `columns` has the values of all points after the edit, as in `treeline_build`.
///
/// Trees grown by merging for badges or by distance are merged again only around the edit, unless very many points
/// change. The first edit of a tree prepares this, in about half the time of a build, and passes it on to the result,
/// so edit the newest tree. Other trees are built again. `monitor` may be NULL.
treeline_tree *treeline_update(
    const treeline_tree *tree, const treeline_edit *edit, const treeline_column *columns, size_t column_count,
    const treeline_monitor *monitor, treeline_error **error);

// MARK: Indexes

/// Maps an index of any size into memory.
treeline_tree *treeline_open(const char *path, treeline_error **error);

/// Description of an index for its readers. Each field may be NULL.
typedef struct treeline_description {
  const char *title;
  const char *attribution;
  const char *unit;
} treeline_description;

/// Writes a tree with its columns as an index. The file appears complete or not at all. NULL for `description` keeps
/// the description with which the tree was opened. A file that is not an index is replaced only if `overwriting`.
bool treeline_save(
    const treeline_tree *tree, const char *path, const treeline_description *description, bool overwriting,
    treeline_error **error);

/// Checks every byte of an index. Returns a table with one column of texts, "problem", and no rows if there is no
/// problem.
treeline_table *treeline_verify(const char *path, treeline_error **error);

void treeline_tree_free(treeline_tree *tree);

// MARK: Trees

typedef struct treeline_facts {
  size_t point_count;
  /// Number of points that pass the filter; without a filter, the number of all points.
  size_t passing_point_count;
  /// Number of points beyond Web Mercator's latitudes that were moved to its edge.
  size_t clipped_point_count;
  /// Whether the tree can answer queries with a spacing.
  bool has_separations;
  /// Whether the tree can answer queries with badges.
  bool has_badges;
  /// Whether coordinates are plain x and y.
  bool is_planar;
  /// Bounds of the points that pass; west is greater than east across the antimeridian. NaN if there are no points.
  double west, south, east, north;
  /// "least-scatter", "merge:distance" and so on.
  const char *growth;
  /// The rule for the positions of clusters: "mean" or "member".
  const char *stand;
  /// Texts as written in the index; "" if the index has no such text.
  const char *title, *attribution, *unit;
} treeline_facts;

void treeline_tree_facts(const treeline_tree *tree, treeline_facts *facts);

/// Returns a hash of the hierarchy, equal for the same points in any order. Takes time proportional to the number of
/// points.
uint64_t treeline_tree_content_hash(const treeline_tree *tree);

/// Returns the name and kind of each column, as texts "name" and "kind".
treeline_table *treeline_tree_columns(const treeline_tree *tree);

/// Returns the groups of the tree, sorted by name. Each row has the text "name", which is "" for points without a
/// group, and the integers "first" and "end", the range of the tree indices of the group's points. There are no rows
/// for a tree without groups. Points that are never clustered belong to no group.
treeline_table *treeline_tree_groups(const treeline_tree *tree);

/// Returns the tree with a filter in CQL2, such as "kind = 'hotel' AND price < 120". Points that fail the filter are
/// left out. The filter replaces the tree's filter; NULL removes it. Answers with different filters count as answers of
/// one tree.
treeline_tree *treeline_select(const treeline_tree *tree, const char *filter, treeline_error **error);

/// Returns the tree with only the points of marked rows. Row i is marked if marks[i] is not 0. Rows from `count` on are
/// not marked. The marks replace the tree's filter. Filters of the result are added to the marks: `treeline_select`
/// then selects the marked points that pass, and with NULL all marked points.
treeline_tree *treeline_select_rows(
    const treeline_tree *tree, const uint8_t *marks, size_t count, treeline_error **error);

/// Returns the tree index of a row; -1 if no point has that row. Takes time proportional to the number of points.
int64_t treeline_tree_index_of_row(const treeline_tree *tree, int64_t row);

// MARK: Answers

/// Returns the clusters of a query, in tree order. In addition to the cut and the viewport, position=mean or member and
/// keep-visible=true or false choose the positions at which clusters are shown. `previous` is the previous answer,
/// which continuing=true uses, or NULL.
treeline_answer *treeline_clusters(
    const treeline_tree *tree, const char *query, const treeline_answer *previous, treeline_error **error);

/// Reads a cut, and the rule for the positions of clusters, from the parameters of a query. They are read once and can
/// be used for queries of many views.
treeline_cut *treeline_cut_create(const treeline_tree *tree, const char *parameters, treeline_error **error);
void treeline_cut_free(treeline_cut *cut);

/// A box including its edges. West may be greater than east, across the antimeridian.
typedef struct treeline_box {
  double west, south, east, north;
} treeline_box;

/// Answers a query of this cut with a bbox and a zoom. The cut must belong to this tree, under any filter.
treeline_answer *treeline_clusters_in_box(
    const treeline_tree *tree, const treeline_cut *cut, const treeline_box *box, double zoom,
    const treeline_answer *previous, treeline_error **error);

/// Returns the clusters with the given ids, which may be in any order.
treeline_answer *treeline_clusters_with_ids(
    const treeline_tree *tree, const uint64_t *ids, size_t count, treeline_error **error);

/// Returns the two parts of a cluster; no clusters if all its points have one position.
treeline_answer *treeline_children(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Returns the cluster directly above a cluster, which has the given cluster as one of its two parts. Returns no
/// cluster if none lies above.
treeline_answer *treeline_parent(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Returns the cluster of all points that pass the filter; no cluster if no point passes.
treeline_answer *treeline_root(const treeline_tree *tree, treeline_error **error);

void treeline_answer_free(treeline_answer *answer);

size_t treeline_answer_count(const treeline_answer *answer);

/// Arrays with an entry for each cluster. They lie in one block of memory, in this order and without gaps.
typedef struct treeline_clusters_arrays {
  size_t count;
  /// Identifies the cluster in this tree, in every query; less than 2^53.
  const uint64_t *id;
  /// Number of points that pass the filter.
  const int64_t *point_count;
  /// Tree indices of the points: from the first to the end, which is not included.
  const int64_t *first;
  const int64_t *end;
  /// Row of a single point in the input; -1 for several points.
  const int64_t *row;
  /// Tree index of a single point, or of the point at whose position the cluster is shown; otherwise -1.
  const int64_t *tree_index;
  /// Position at which the cluster is shown: longitudes and latitudes, or x and y.
  const double *x;
  const double *y;
} treeline_clusters_arrays;

void treeline_answer_arrays(const treeline_answer *answer, treeline_clusters_arrays *arrays);

/// Arrays about the extents of clusters, also in one block. They are computed on the first call.
typedef struct treeline_extents_arrays {
  size_t count;
  /// Bounds of the points; west is greater than east across the antimeridian.
  const double *west;
  const double *south;
  const double *east;
  const double *north;
  /// Root mean square distance of the points from their mean, in pixels at zoom 24.
  const double *radius;
  /// Standard deviations along the principal axes, in pixels at zoom 24.
  const double *semi_major;
  const double *semi_minor;
  /// Direction of the longer axis, as a unit vector to the east and to the south.
  const double *axis_x;
  const double *axis_y;
  /// For badges: the badge's diameter in pixels; otherwise NaN.
  const double *badge_diameter;
} treeline_extents_arrays;

void treeline_answer_extents(const treeline_answer *answer, treeline_extents_arrays *arrays);

/// Returns the position in the answer of the cluster that contains a point, given its tree index; -1 if no cluster
/// does.
int64_t treeline_answer_find(const treeline_answer *answer, int64_t tree_index);

// MARK: Tables

void treeline_table_free(treeline_table *table);
size_t treeline_table_row_count(const treeline_table *table);
size_t treeline_table_column_count(const treeline_table *table);
const char *treeline_table_name(const treeline_table *table, size_t column);

/// A column of a table. If a row has no value, its bit in `validity` is 0. A double is then NaN, an instant INT64_MIN
/// and a text empty.
typedef struct treeline_array {
  treeline_value_type type;
  /// Doubles, integers, booleans or instants; for counts, the number of points that have each value.
  const void *values;
  /// A bit for each row, the lowest first; NULL if every row has a value.
  const uint8_t *validity;
  /// Offsets of texts: for texts, and for counts, whose values are texts.
  const int64_t *offsets;
  const char *bytes;
  /// For counts: the counts of row i are lists[i] up to lists[i + 1].
  const int64_t *lists;
  /// For instants: units per second, 1, 1000, 1000000 or 1000000000, depending on the precision that the column needs.
  int64_t units_per_second;
} treeline_array;

void treeline_table_column(const treeline_table *table, size_t column, treeline_array *array);

/// Returns aggregates of the values of each cluster's points: a row for each cluster, and a column for each aggregate
/// of a list such as "count, sum(population), top(kind, 3)". Columns are named as in GeoJSON: "sum_population". Numbers
/// are integers if the aggregate gives whole numbers for any points and these fit 64 bits. Otherwise they are the
/// nearest doubles.
treeline_table *treeline_aggregate(const treeline_answer *answer, const char *aggregates, treeline_error **error);

/// Returns the changes between two answers of one tree, with a row for each cluster to draw. All columns are integers.
/// "from" and "to" are the indices of the cluster in the first and in the second answer; -1 if the answer does not have
/// it. "change" is 0 for a cluster in both answers, 1 for a part of a split, 2 for a part of a merge, 3 for a cluster
/// that enters and 4 for a cluster that exits. The first row of a split or merge has the number of points that are in
/// no part ("hidden"). This row, and the row of each cluster in both answers, also has the numbers of points that pass
/// the filter of only one answer ("filtered_out", "filtered_in").
treeline_table *treeline_transition(const treeline_answer *from, const treeline_answer *to, treeline_error **error);

/// Returns a page of a cluster's points that pass, in tree order: integers "row" and "tree_index", doubles "x" and "y".
treeline_table *treeline_members(
    const treeline_tree *tree, uint64_t id, size_t offset, size_t limit, treeline_error **error);

/// Returns the values of points in a column, given their tree indices. The table has one column with the same name.
/// Numbers are integers if the whole column has only integers, otherwise doubles.
treeline_table *treeline_values(
    const treeline_tree *tree, const char *column, const int64_t *tree_indices, size_t count, treeline_error **error);

/// Returns at most `limit` points whose text in a column begins with a text, and then points with a word that begins
/// with it: integers "row" and "tree_index", doubles "x" and "y", and texts "text", the whole texts of the points. Case,
/// accents and punctuation do not matter. The column was prepared by +search; NULL takes the first such column. A filter
/// has no effect.
treeline_table *treeline_search(
    const treeline_tree *tree, const char *text, const char *column, size_t limit, treeline_error **error);

/// Returns the corners of the convex hull of a cluster's points, counterclockwise on the map: doubles "x" and "y".
treeline_table *treeline_hull(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Counts the points in view by bins of a column's values. `bins` is the maximum number of bins, from 2 to 1000. Each
/// row is a bin. Its edges "from" and "to" are doubles or, for times, instants. Its "count" is an integer. `missing`
/// receives the number of points without a value, and may be NULL.
treeline_table *treeline_histogram(
    const treeline_tree *tree, const char *column, size_t bins, const char *viewport, int64_t *missing,
    treeline_error **error);

/// Finds the smallest zoom at which a cut with a criterion in pixels, such as "spacing=44&tile-size=512", shows a
/// cluster's parts instead of the cluster. The result is NaN if this happens at no zoom, and minus infinity if it
/// happens at every zoom.
bool treeline_expansion_zoom(
    const treeline_tree *tree, uint64_t id, const char *cut, double *zoom, treeline_error **error);

/// Finds the zoom from which on a cut with a criterion in pixels shows a point unclustered, given its tree index; NaN
/// if there is no such zoom.
bool treeline_unclustered_zoom(
    const treeline_tree *tree, int64_t tree_index, const char *cut, double *zoom, treeline_error **error);

// MARK: Maps

const void *treeline_bytes_start(const treeline_bytes *bytes, size_t *count);
void treeline_bytes_free(treeline_bytes *bytes);

/// Returns a page of HTML that contains a map and all points of a tree with their columns, and opens from disk. It has
/// the bytes that `treelinemap map` writes. A tree with groups or of plain x and y, and a page of more than 20 MB, are
/// errors.
///
/// `map` is the folder of the map's files, which scripts/build/map-page makes. NULL for `title` takes the tree's title,
/// or "Map". `basemap` is a MapLibre style or the address of a style, as JSON; NULL for the land in `map`.
treeline_bytes *treeline_map_page(
    const treeline_tree *tree, const char *map, const char *title, const char *basemap, treeline_error **error);

/// Writes a tree as a folder of files from which browsers answer queries without a server, as `treelinemap publish`
/// does. The folder is created if it does not exist. The tree is published without its filter. A tree with groups is an
/// error.
///
/// `map` is as above; NULL for pages without a map. NULL for `title` takes the tree's title, or "Map". With
/// `single_file`, all pages are in one file, for hosts that answer requests for ranges of bytes. `remove_old` removes
/// pages of earlier versions, which maps that are open in browsers may still ask for.
bool treeline_publish(
    const treeline_tree *tree, const char *folder, const char *map, const char *title, bool single_file,
    bool remove_old, treeline_error **error);

#ifdef __cplusplus
}
#endif

#include "treeline_pieces.h"
#endif
