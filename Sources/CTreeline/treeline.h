/// Treeline for C, and for languages that can call C. It builds and opens trees, answers queries for their clusters,
/// and returns answers as arrays.
///
/// Objects are opaque. They belong to the caller, who frees each object with the _free function of its type. Objects
/// never change, so any number of threads may use an object at once. An object keeps alive the objects on which it
/// depends, so a tree may be freed before its answers.
///
/// A function that can fail has a pointer for the error as its last argument. After a failure it returns NULL, false or
/// -1. The caller frees the error. If the pointer is NULL, no error is created. Messages are the same as in the Swift
/// library. NULL for an object, a string or an array is an error too, unless a comment gives NULL a meaning. A function
/// without an error argument does nothing if such an argument is NULL. It returns 0, false or NULL; a function that
/// returns an index returns -1. Strings and texts of columns are UTF-8; a function with an error argument refuses other
/// bytes. A returned const pointer belongs to its object and is valid as long as the object.
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
/// A hierarchy of clusters over some points, with or without a filter.
typedef struct treeline_tree treeline_tree;
/// The clusters of a query.
typedef struct treeline_answer treeline_answer;
/// The parsed parameters that choose which clusters of a tree are shown, such as "spacing=44". A cut can be used with
/// any viewport.
typedef struct treeline_cut treeline_cut;
/// Named columns with the same number of rows.
typedef struct treeline_table treeline_table;
/// A handle with which builds can be stopped.
typedef struct treeline_cancellation treeline_cancellation;
/// Bytes, such as a page, or the data that one step of a build in pieces passes to another step.
typedef struct treeline_bytes treeline_bytes;

/// The release of the library, such as "0.3.0".
const char *treeline_version(void);

// MARK: Errors

typedef enum treeline_error_kind {
  /// An argument with a valid type but a value that the function does not accept, such as two answers from different
  /// trees.
  TREELINE_ERROR_ARGUMENT = 1,
  /// A parameter of a query or an option of a build is unknown, missing, out of range, or excluded by another parameter
  /// or option.
  TREELINE_ERROR_PARAMETER = 2,
  /// A query or a search that this tree cannot answer.
  TREELINE_ERROR_QUERY = 3,
  /// A string that is not a valid filter, or a filter with a column that is not in the tree.
  TREELINE_ERROR_FILTER = 4,
  /// A string that is not a valid list of aggregates, or an aggregate or histogram that the column does not support.
  TREELINE_ERROR_AGGREGATE = 5,
  /// Points from which no tree can be built, such as points with coordinates out of range.
  TREELINE_ERROR_BUILD = 6,
  /// Values that do not fit the kind of their column.
  TREELINE_ERROR_COLUMN = 7,
  /// A file that is not an index or is damaged.
  TREELINE_ERROR_INDEX = 8,
  /// An index that could not be written.
  TREELINE_ERROR_WRITING = 9,
  /// A build that was cancelled.
  TREELINE_ERROR_CANCELLED = 10,
  /// Invalid bytes or pieces of a build in pieces. Either no step has written them, or they were damaged later.
  TREELINE_ERROR_PIECES = 11,
  /// An edit that the tree does not support, or a coordinate of an edit that is out of range.
  TREELINE_ERROR_EDIT = 12,
  /// A map that cannot be written, such as a map of a tree with groups.
  TREELINE_ERROR_PAGE = 13
} treeline_error_kind;

treeline_error_kind treeline_error_get_kind(const treeline_error *error);
/// Returns a text that says what is wrong, where the problem is, and what to do.
const char *treeline_error_message(const treeline_error *error);
void treeline_error_free(treeline_error *error);

// MARK: Building

/// Coordinates of points: longitudes from -180 to 180 and latitudes from -90 to 90 in degrees, or plain x and y with
/// the option planar=true. Strides are in bytes; 0 means a packed array.
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
  /// Texts, as in Arrow: text i begins at bytes[offsets[i]] and ends before bytes[offsets[i + 1]].
  TREELINE_TEXTS = 4,
  /// int32_t, an index into the entry_count texts of the column. -1 is a missing value. Any other number is an error.
  TREELINE_CODES = 5,
  /// int64_t, a time since the beginning of 1970 in UTC, counted in units of the column. INT64_MIN is a missing value.
  TREELINE_INSTANTS = 6,
  /// In answers only: for each row, some values, and the number of points with each value.
  TREELINE_COUNTS = 7
} treeline_value_type;

/// A column with a value for each point, in the order of the points. A missing value has the meaning of null in JSON,
/// and of an empty CSV cell in the command-line tool. The arrays may be freed after the call.
typedef struct treeline_column {
  const char *name;
  /// number, category, boolean, time, time-ms or text, as in the command-line tool. NULL chooses the kind by the type
  /// or, for texts, by the values. The preparations +percentiles, +distinct and +search may follow the kind, or be
  /// given without a kind. +percentiles and +distinct prepare the column for the aggregates of these names. +search
  /// prepares texts for treeline_search, treelinemap search and the server.
  const char *kind;
  treeline_value_type type;
  /// The values, for all types except TREELINE_TEXTS.
  const void *values;
  /// Distance between values in bytes; 0 means a packed array.
  ptrdiff_t stride;
  /// A bit for each point, beginning with the lowest bit of the first byte. 0 means a missing value. NULL if no value
  /// is missing.
  const uint8_t *validity;
  /// For texts and codes: offset of each text in `bytes`, and then the end of the last text.
  const int64_t *offsets;
  const char *bytes;
  /// For codes: the number of texts.
  size_t entry_count;
  /// For instants: number of units per second, which is 1, 1000, 1000000 or 1000000000.
  int64_t units_per_second;
} treeline_column;

/// Reports the progress of a build, and can stop the build.
typedef struct treeline_monitor {
  /// Called by the threads that build, by one thread at a time, and at most once per percent of a stage. May be NULL.
  ///
  /// The stages are "projecting", "splitting", "merging" and "encoding" (of columns). The stages of a build in pieces
  /// are "encoding", "projecting", "merging" or "planning", "partitioning", "building", "writing", and "encoding" again
  /// if columns are prepared. The stages of a stream whose points fit into memory are "projecting", "building" or
  /// "merging", "encoding" and "writing". The fraction of "planning" is always 0, because the progress of this stage is
  /// unknown.
  void (*progress)(void *context, const char *stage, double fraction);
  void *context;
  /// The handle with which the build can be stopped; may be NULL.
  const treeline_cancellation *cancellation;
} treeline_monitor;

treeline_cancellation *treeline_cancellation_create(void);
/// Stops all builds with this cancellation. Running builds usually stop within 50 ms, and later builds stop at once.
/// Any thread may call this function.
void treeline_cancellation_cancel(const treeline_cancellation *cancellation);
void treeline_cancellation_free(treeline_cancellation *cancellation);

/// Builds a tree. The tree does not depend on the order of the points or on the number of threads.
///
/// `options` has the names of the options of `treelinemap build`: for=spacing (or badges), split=mean, grow=split (or
/// merge, badges, scatter), badge-gap=4, anchor=member, threads=2, and planar=true. group-by and
/// never-cluster name columns.
/// By default the tree is built for limits and details, which every tree supports. With editable=true the tree keeps
/// the coordinates for `treeline_update`, which takes 16 bytes per point.
///
/// `monitor` may be NULL.
treeline_tree *treeline_build(
    const treeline_points *points, const treeline_column *columns, size_t column_count, const char *options,
    const treeline_monitor *monitor, treeline_error **error);

// MARK: Edits

/// Points to remove, to move and to insert. In each list of rows, the rows ascend and no row occurs twice.
typedef struct treeline_edit {
  /// Rows to remove.
  const int64_t *removed;
  size_t removed_count;
  /// Rows to move, as numbered before the edit, and their new coordinates.
  const int64_t *moved;
  treeline_points moved_points;
  /// Rows of the inserted points, as numbered after the edit, and their coordinates.
  const int64_t *inserted;
  treeline_points inserted_points;
} treeline_edit;

/// Returns the tree after an edit. The new tree has the same bytes as a tree built from the points after the edit. The
/// given tree must have been built with editable=true and without groups. The given tree does not change. The new tree
/// has no filter, and can be edited too. Points that are neither removed nor inserted keep their order, so rows after a
/// removed or inserted point get new numbers.
///
/// `columns` contains the values of all points after the edit, as in `treeline_build`.
///
/// A tree that was merged by distance or for badges is merged again only around the edit, unless very many points
/// change. The first edit prepares data for all later edits, which takes about half the time of a build. The new tree
/// inherits these data, so always edit the newest tree. A tree with another growth is built again from all points.
/// `monitor` may be NULL.
treeline_tree *treeline_update(
    const treeline_tree *tree, const treeline_edit *edit, const treeline_column *columns, size_t column_count,
    const treeline_monitor *monitor, treeline_error **error);

// MARK: Indexes

/// Maps an index of any size into memory.
treeline_tree *treeline_open(const char *path, treeline_error **error);

/// Texts that describe an index to its users. Each field may be NULL.
typedef struct treeline_description {
  const char *title;
  const char *attribution;
  const char *unit;
} treeline_description;

/// Writes a tree with its columns as an index. The file appears when it is complete. NULL for `description` keeps the
/// description that the opened index had. An existing index is always replaced. An existing file of another kind is
/// replaced only if `overwriting` is true.
bool treeline_save(
    const treeline_tree *tree, const char *path, const treeline_description *description, bool overwriting,
    treeline_error **error);

/// Checks every byte of an index. Returns a table with a column of texts, "problem". The table has no rows if the index
/// has no problem.
treeline_table *treeline_verify(const char *path, treeline_error **error);

void treeline_tree_free(treeline_tree *tree);

// MARK: Trees

typedef struct treeline_facts {
  size_t point_count;
  /// Number of points that pass the filter; without a filter, the number of all points.
  size_t passing_point_count;
  /// Number of points whose latitude is beyond the limit of Web Mercator. They were moved to the edge of the map.
  size_t clipped_point_count;
  /// Whether the tree can answer queries with a spacing.
  bool has_separations;
  /// Whether the tree can answer queries with badges.
  bool has_badges;
  /// Whether coordinates are plain x and y.
  bool is_planar;
  /// Bounds of the points that pass the filter. If the bounds cross the antimeridian, west is greater than east. NaN if
  /// there are no points.
  double west, south, east, north;
  /// Rule by which the tree was made, such as "least-scatter" or "merge:distance".
  const char *growth;
  /// Default position of clusters: the mean of their points ("mean") or one of their points ("member").
  const char *anchor;
  /// Default cut of a map of the tree, as a parameter of a query: "badges=1", "spacing=44", "detail=20" or "limit=100".
  const char *default_cut;
  /// Texts of the index; "" if the index has no such text.
  const char *title, *attribution, *unit;
} treeline_facts;

void treeline_tree_facts(const treeline_tree *tree, treeline_facts *facts);

/// Returns a hash of the hierarchy, which does not depend on the order of the points. Takes time proportional to the
/// number of points.
uint64_t treeline_tree_content_hash(const treeline_tree *tree);

/// Returns a table with the name and kind of each column, as texts "name" and "kind".
treeline_table *treeline_tree_columns(const treeline_tree *tree);

/// Returns the groups of the tree, sorted by name. The text "name" is "" for points without a group. The integers
/// "first" and "end" are the range of tree indices of the group's points. The table has no rows if the tree has no
/// groups. Points that are never clustered belong to no group.
treeline_table *treeline_tree_groups(const treeline_tree *tree);

/// Returns the tree with a filter in CQL2, such as "kind = 'hotel' AND price < 120". Points that do not pass the filter
/// are left out of all answers. The filter replaces the filter of the tree, if the tree has one. NULL removes the
/// filter. Answers of one tree with different filters can be compared, for example by `treeline_transition`.
treeline_tree *treeline_select(const treeline_tree *tree, const char *filter, treeline_error **error);

/// Returns the tree with only the points of marked rows. Row i is marked if i is less than `count` and marks[i] is not
/// 0. The marks replace any filter of the tree. If the result is passed to `treeline_select`, the filter selects only
/// among the marked points, and NULL selects all of them.
treeline_tree *treeline_select_rows(
    const treeline_tree *tree, const uint8_t *marks, size_t count, treeline_error **error);

/// Returns the tree index of a row; -1 if no point has the row. Takes time proportional to the number of points.
int64_t treeline_tree_index_of_row(const treeline_tree *tree, int64_t row);

// MARK: Answers

/// Returns the clusters of a query, in tree order. The query can also choose where clusters are shown, with
/// position=mean or member and keep-visible=true or false. `previous` is the previous answer, for continuing=true; it
/// may be NULL.
treeline_answer *treeline_clusters(
    const treeline_tree *tree, const char *query, const treeline_answer *previous, treeline_error **error);

/// Reads a cut and the rule for the positions of clusters from the parameters of a query. If the result is used for
/// many views, the parameters are parsed only once.
treeline_cut *treeline_cut_create(const treeline_tree *tree, const char *parameters, treeline_error **error);
void treeline_cut_free(treeline_cut *cut);

/// A box that includes its edges. If the box crosses the antimeridian, west is greater than east.
typedef struct treeline_box {
  double west, south, east, north;
} treeline_box;

/// Returns the clusters of a cut for a box and a zoom. The cut must have been made for the same tree, with any filter.
treeline_answer *treeline_clusters_in_box(
    const treeline_tree *tree, const treeline_cut *cut, const treeline_box *box, double zoom,
    const treeline_answer *previous, treeline_error **error);

/// Returns the clusters with the given ids. The ids may be in any order.
treeline_answer *treeline_clusters_with_ids(
    const treeline_tree *tree, const uint64_t *ids, size_t count, treeline_error **error);

/// Returns the two parts of a cluster. Returns no clusters if all points of the cluster share one position.
treeline_answer *treeline_children(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Returns the parent of a cluster. The given cluster is one of the two parts of its parent. Returns no cluster if the
/// given cluster has no parent.
treeline_answer *treeline_parent(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Returns the cluster of all points that pass the filter. Returns no cluster if no point passes.
treeline_answer *treeline_root(const treeline_tree *tree, treeline_error **error);

void treeline_answer_free(treeline_answer *answer);

size_t treeline_answer_count(const treeline_answer *answer);

/// Arrays with an entry for each cluster. The arrays are in one block of memory, in the order of these fields and
/// without gaps.
typedef struct treeline_clusters_arrays {
  size_t count;
  /// Id of the cluster, which is the same in every answer of this tree; less than 2^53.
  const uint64_t *id;
  /// Number of points that pass the filter.
  const int64_t *point_count;
  /// Tree indices of the points: the first, and one past the last.
  const int64_t *first;
  const int64_t *end;
  /// Input row of the cluster's only point; -1 if the cluster has several points.
  const int64_t *row;
  /// Tree index of the cluster's only point, or of the point at which the cluster is shown; -1 if there is no such
  /// point.
  const int64_t *tree_index;
  /// Position at which the cluster is shown: longitudes and latitudes, or x and y.
  const double *x;
  const double *y;
} treeline_clusters_arrays;

void treeline_answer_arrays(const treeline_answer *answer, treeline_clusters_arrays *arrays);

/// Arrays that describe the extents of clusters. All arrays are in one block of memory. The first call of
/// treeline_answer_extents for an answer computes the arrays.
typedef struct treeline_extents_arrays {
  size_t count;
  /// Bounds of the points. If the bounds cross the antimeridian, west is greater than east.
  const double *west;
  const double *south;
  const double *east;
  const double *north;
  /// Root mean square distance of the points from their mean, in pixels at zoom 24.
  const double *radius;
  /// Standard deviations along the principal axes, in pixels at zoom 24.
  const double *semi_major;
  const double *semi_minor;
  /// Direction of the longer axis: a unit vector with components to the east and to the south.
  const double *axis_x;
  const double *axis_y;
  /// Diameter of the badge in pixels, if the query has badges; otherwise NaN.
  const double *badge_diameter;
} treeline_extents_arrays;

void treeline_answer_extents(const treeline_answer *answer, treeline_extents_arrays *arrays);

/// Returns the index of the cluster that contains a point, given the tree index of the point. Returns -1 if no cluster
/// of the answer contains the point.
int64_t treeline_answer_find(const treeline_answer *answer, int64_t tree_index);

// MARK: Tables

void treeline_table_free(treeline_table *table);
size_t treeline_table_row_count(const treeline_table *table);
size_t treeline_table_column_count(const treeline_table *table);
const char *treeline_table_name(const treeline_table *table, size_t column);

/// A column of a table. If a row has no value, its bit in `validity` is 0, and its value is NaN (doubles), INT64_MIN
/// (instants) or an empty text.
typedef struct treeline_array {
  treeline_value_type type;
  /// Doubles, integers, booleans or instants. For counts: the number of points with each value.
  const void *values;
  /// A bit for each row, beginning with the lowest bit of the first byte; NULL if every row has a value.
  const uint8_t *validity;
  /// Offsets of texts in `bytes`. For counts, the texts are the counted values.
  const int64_t *offsets;
  const char *bytes;
  /// For counts: row i has the counts from lists[i] up to, but not including, lists[i + 1].
  const int64_t *lists;
  /// For instants: number of units per second, which is 1, 1000, 1000000 or 1000000000. The smallest of these numbers
  /// that expresses all times exactly is used.
  int64_t units_per_second;
} treeline_array;

void treeline_table_column(const treeline_table *table, size_t column, treeline_array *array);

/// Returns aggregates of the values of each cluster's points. The table has a row for each cluster, and a column for
/// each aggregate in a list such as "count, sum(population), top(kind, 3)". Columns are named as in GeoJSON, such as
/// "sum_population". A column has integers if the aggregate is always a whole number and all its values fit into 64
/// bits. Otherwise the column has the nearest doubles.
treeline_table *treeline_aggregate(const treeline_answer *answer, const char *aggregates, treeline_error **error);

/// Returns the changes between two answers of one tree, with a row for each cluster to draw. All columns are integers:
///
/// - "from" and "to": the index of the cluster in the first and in the second answer; -1 if it is not in that answer.
/// - "change": 0 for a cluster in both answers, 1 for a part of a split, 2 for a part of a merge, 3 for a cluster that
///   enters, 4 for a cluster that exits.
/// - "hidden": in the first row of a split or merge, the number of points of the whole cluster that no part contains.
/// - "filtered_out" and "filtered_in": the number of points that pass only the filter of the first answer, and the
///   number of points that pass only the filter of the second answer. Both are set for clusters in both answers, and in
///   the first row of a split or merge.
treeline_table *treeline_transition(const treeline_answer *from, const treeline_answer *to, treeline_error **error);

/// Returns a page of the points of a cluster, in tree order, without points that do not pass the filter. The table has
/// integers "row" and "tree_index", and doubles "x" and "y".
treeline_table *treeline_members(
    const treeline_tree *tree, uint64_t id, size_t offset, size_t limit, treeline_error **error);

/// Returns the values of some points in a column, given the tree indices of the points. The table has one column, with
/// the name of the given column. Numbers are integers if all numbers of the column are integers, otherwise doubles.
treeline_table *treeline_values(
    const treeline_tree *tree, const char *column, const int64_t *tree_indices, size_t count, treeline_error **error);

/// Searches a column of texts. Returns at most `limit` points: first the points whose text begins with `text`, then the
/// points with a later word that begins with `text`. The table has integers "row" and "tree_index", doubles "x" and
/// "y", and the whole texts "text". Case, accents and punctuation do not matter. The column must have been built with
/// +search; NULL chooses the first such column. The tree's filter is ignored.
treeline_table *treeline_search(
    const treeline_tree *tree, const char *text, const char *column, size_t limit, treeline_error **error);

/// Returns the convex hull of a cluster's points: the corners in counterclockwise order, as doubles "x" and "y".
treeline_table *treeline_hull(const treeline_tree *tree, uint64_t id, treeline_error **error);

/// Returns a histogram of a column's values for the points in view. Each row is a bin with "count", an integer, and the
/// edges "from" and "to", which are doubles or, for times, instants. `bins` is the maximum number of bins, from 2 to
/// 1000. `missing` receives the number of points without a value; it may be NULL.
treeline_table *treeline_histogram(
    const treeline_tree *tree, const char *column, size_t bins, const char *viewport, int64_t *missing,
    treeline_error **error);

/// Finds the smallest zoom at which a cut by pixels, such as "spacing=44&tile-size=512", shows the parts of a cluster
/// instead of the cluster. The result is NaN if the cut shows the parts at no zoom, and minus infinity if it shows them
/// at every zoom.
bool treeline_expansion_zoom(
    const treeline_tree *tree, uint64_t id, const char *cut, double *zoom, treeline_error **error);

/// Finds the smallest zoom from which a cut by pixels shows a point unclustered, given the tree index of the point. The
/// result is NaN if there is no such zoom.
bool treeline_unclustered_zoom(
    const treeline_tree *tree, int64_t tree_index, const char *cut, double *zoom, treeline_error **error);

// MARK: GeoJSON

const void *treeline_bytes_start(const treeline_bytes *bytes, size_t *count);
void treeline_bytes_free(treeline_bytes *bytes);

/// Returns an answer as a GeoJSON FeatureCollection. The features have the same properties as in the output of
/// `treelinemap query` and of the server.
///
/// `options` is NULL or has parameters:
///
/// - "aggregate=count,max(price)" adds aggregates.
/// - "indices=0,2,5" writes only the clusters with these indices in the answer. The indices must rise.
/// - "ellipses=true" adds "ellipse" and "ellipse_meters", "members=true" adds "members" (rows), and "hulls=true" adds
///   "hull". "tree-ranges=true" adds "tree_range", the tree index of the first point and one past the tree index of the
///   last point.
/// - "safe-integers=true" writes whole numbers of columns as strings if they are above 2^53 or below -2^53, because
///   JavaScript would round them.
treeline_bytes *treeline_answer_geojson(
    const treeline_answer *answer, const char *options, treeline_error **error);

/// Returns the changes between two answers of one tree as a JSON object, in the form of `treelinemap transition`. One
/// more member, "clusters", is the second answer, with the `options` of treeline_answer_geojson.
treeline_bytes *treeline_transition_geojson(
    const treeline_answer *from, const treeline_answer *to, const char *options, treeline_error **error);

/// Returns a page of the points of a cluster, as treeline_members does, as a GeoJSON FeatureCollection. The collection
/// also has the members "total", the number of all points of the cluster, and "offset", which is at most "total".
/// `options` may contain "safe-integers=true".
treeline_bytes *treeline_members_geojson(
    const treeline_tree *tree, uint64_t id, size_t offset, size_t limit, const char *options, treeline_error **error);

// MARK: Maps

/// Returns an HTML page with a map and all points of a tree with their columns. The page opens from disk. The page has
/// the same bytes as the page that `treelinemap map` writes. Fails if the tree has groups or plain x and y, or if the
/// page would exceed 20 MB.
///
/// `map` is the folder of the map's files, which scripts/build/map-page makes. NULL for `title` uses the title of the
/// tree or, if there is none, "Map". `basemap` is JSON: a MapLibre style, or the URL of a style as a string. NULL uses
/// the land in `map`.
treeline_bytes *treeline_map_page(
    const treeline_tree *tree, const char *map, const char *title, const char *basemap, treeline_error **error);

/// Writes a tree as a folder of files, as `treelinemap publish` does. Browsers answer queries from these files, without
/// a server. The folder is created if it does not exist. The tree is published without its filter. Fails if the tree
/// has groups.
///
/// `map` has the same meaning as in `treeline_map_page`, but NULL publishes no map page. NULL for `title` uses the
/// title of the tree or, if there is none, "Map". With `single_file`, all pages are in one file, for hosts that answer
/// requests for byte ranges. `remove_old` removes pages of earlier versions. Maps that are open in browsers may still
/// need the removed pages.
bool treeline_publish(
    const treeline_tree *tree, const char *folder, const char *map, const char *title, bool single_file,
    bool remove_old, treeline_error **error);

#ifdef __cplusplus
}
#endif

#include "treeline_pieces.h"
#endif
