/// Builds in pieces, for points that may not fit into memory. A build runs on one machine, or as steps that any engine
/// for distributed work can run. This header is part of treeline.h, and the rules in treeline.h apply.
#ifndef TREELINE_PIECES_H
#define TREELINE_PIECES_H

#include "treeline.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Indexes of points that come in batches

/// An index that is being built while its points arrive.
typedef struct treeline_stream treeline_stream;

/// Begins an index of points that may not fit into memory. Points stay in memory until a build in memory would take
/// more than the limit. Then all points are moved to a scratch folder, and the index is built in pieces from this
/// folder. In both cases the index has the same bytes as a tree that is built from all points at once and saved.
///
/// Options: for, grow, split, badge-gap, anchor, threads and planar as in `treeline_build`, except
/// split=gamma:2 and grow=scatter, which need all points in memory; rows=true, if each point is given with its row;
/// memory=2000000000, the approximate limit of memory in bytes; scratch=, the folder in which the scratch folder is
/// created, by default the folder of the index.
///
/// Only names, types and kinds of the columns are read, not their values. `description` may be NULL. Only one thread at
/// a time may use a stream.
treeline_stream *treeline_stream_create(
    const char *path, const char *options, const treeline_column *columns, size_t column_count,
    const treeline_description *description, bool overwriting, treeline_error **error);

/// Adds points and their values. Each call must pass the same columns in the same order.
///
/// \param rows Row of each point, from 0 to 2^53, with the option rows=true. Otherwise points are numbered in the order
/// of arrival, and `rows` may be NULL.
/// \param refused For each point, receives 1 if the coordinates of the point are outside the sphere or the plane,
/// otherwise 0. A refused point is left out, but still uses up a row number. If `refused` is NULL, such a point is an
/// error, and no point of the batch is added.
bool treeline_stream_add(
    treeline_stream *stream, const treeline_points *points, const int64_t *rows, const treeline_column *columns,
    size_t column_count, uint8_t *refused, treeline_error **error);

/// Writes the index. The file appears when it is complete. `monitor` may be NULL.
bool treeline_stream_finish(treeline_stream *stream, const treeline_monitor *monitor, treeline_error **error);

/// Frees the stream and removes its scratch folder.
void treeline_stream_free(treeline_stream *stream);

// MARK: Steps of a build in pieces

/// These steps build an index from points that are stored on many machines. Any engine that runs work where the data
/// are stored can run the steps, such as Spark or a queue of jobs. The steps pass bytes to each other. These bytes can
/// be read only by the same release of the library, on machines with the same byte order. Every function that reads
/// bytes checks their checksum. The objects of these steps change, so only one thread at a time may use an object.
///
/// 1. Survey each part of the points, and add up the surveys.
/// 2. Make a plan from the total survey. The plan asks a round of questions. Answer the questions for each part of the
/// points, and add up the answers. Repeat the rounds until the plan asks no more questions.
/// 3. Send each point to its piece.
/// 4. Build each piece into a folder.
/// 5. Assemble the folder into the index.
///
/// A tree that grows by merging has no plan. Instead, one process adds all positions to a `treeline_merging`, which
/// merges them in files. It returns the pieces, and the *place* of each point. A point is then given by its place as x,
/// and 0 as y, instead of its position.
///
/// Columns are surveyed too. The total of the column surveys determines an encoding, which converts the values of a
/// point to codes. The codes are sent to the piece together with the point.

/// Number and extent of points.
typedef struct treeline_survey treeline_survey;
/// The division of the points into pieces, while it is being determined.
typedef struct treeline_plan treeline_plan;
/// A tree that grows by merging.
typedef struct treeline_merging treeline_merging;
/// The questions of a plan to all points, and the answers of some points.
typedef struct treeline_round treeline_round;
/// The pieces of a plan or of a merging.
typedef struct treeline_pieces treeline_pieces;
/// A summary of the values of columns.
typedef struct treeline_column_survey treeline_column_survey;
/// All distinct values of columns that have many distinct values.
typedef struct treeline_entries treeline_entries;
/// The mapping of column values to codes.
typedef struct treeline_encoding treeline_encoding;
/// A piece while its points arrive.
typedef struct treeline_piece treeline_piece;

/// Creates a survey without points.
treeline_survey *treeline_survey_create(bool is_planar);
/// Reads a survey that `treeline_survey_bytes` has returned.
treeline_survey *treeline_survey_read(const void *bytes, size_t count, treeline_error **error);
/// Adds points to a survey.
///
/// \param refused As in `treeline_stream_add`.
bool treeline_survey_add_points(
    treeline_survey *survey, const treeline_points *points, uint8_t *refused, treeline_error **error);
/// Adds the survey of other points, given as bytes.
bool treeline_survey_add_survey(treeline_survey *survey, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_survey_bytes(const treeline_survey *survey);
void treeline_survey_free(treeline_survey *survey);

typedef struct treeline_extent_facts {
  size_t point_count;
  size_t clipped_point_count;
  /// The meridian at which the world is cut open to make the plane: its distance eastwards from longitude -180, in
  /// units of 2^-32 of the world's width.
  uint32_t seam;
} treeline_extent_facts;

void treeline_survey_facts(const treeline_survey *survey, treeline_extent_facts *facts);

/// Writes the position of each point on the plane of a survey: x, then y. A survey without points on the sphere uses
/// the seam 0. To convert such positions to the plane of another survey, subtract the other survey's seam from x,
/// modulo 2^32.
bool treeline_project(
    const treeline_survey *survey, const treeline_points *points, uint32_t *positions, treeline_error **error);

/// Options: split=mean or least-scatter; piece-size, the maximum number of points in a piece, at least 17 and by
/// default 1000000; most-bins, the approximate maximum number of sums in the answers to a round. A sum takes 40 bytes.
/// A piece may exceed piece-size if all its points share one position.
treeline_plan *treeline_plan_create(const char *options, treeline_error **error);
/// Returns the questions of the current round to all points. Returns NULL once the pieces are known. Until
/// `treeline_plan_take` is called, each call returns the same questions.
treeline_bytes *treeline_plan_round(treeline_plan *plan);
/// Takes the answers of all points to the current round, added up. It is an error if answers contradict each other or
/// earlier answers. Answers contradict each other if the answers of some points are missing.
bool treeline_plan_take(treeline_plan *plan, const void *answers, size_t count, treeline_error **error);
/// Returns the pieces. It is an error if the plan has further questions.
treeline_bytes *treeline_plan_pieces(treeline_plan *plan, treeline_error **error);
void treeline_plan_free(treeline_plan *plan);

/// Reads a round that `treeline_plan_round` has returned. The round contains no answers yet.
treeline_round *treeline_round_read(const void *bytes, size_t count, treeline_error **error);
/// Adds the answers of some points, given by their positions on the plane of the survey of all points.
void treeline_round_add_points(treeline_round *round, const uint32_t *positions, size_t count);
/// Adds the answers of other points to the same round.
bool treeline_round_add_answers(treeline_round *round, const void *answers, size_t count, treeline_error **error);
treeline_bytes *treeline_round_answers(const treeline_round *round);
void treeline_round_free(treeline_round *round);

/// Begins a tree that grows by merging. All points are added next, and then `treeline_merging_pieces` is called.
///
/// Options: for, grow, badge-gap, anchor and threads as in `treeline_build`, except grow=scatter; piece-size as in
/// `treeline_plan_create`; memory=2000000000, the approximate limit of memory in bytes; rows=true, if each point is
/// added with its row. Otherwise points must be added in the order of their rows.
///
/// \param survey Survey of all points.
/// \param folder Scratch folder, which is created and removed again. It has files without names, with some 130 bytes
/// per point.
/// \param monitor Used until `treeline_merging_pieces` returns; may be NULL.
treeline_merging *treeline_merging_create(
    const treeline_survey *survey, const char *folder, const char *options, const treeline_monitor *monitor,
    treeline_error **error);
/// Adds points, given by their positions on the plane of the survey.
///
/// \param rows Row of each point, with the option rows=true; otherwise ignored.
bool treeline_merging_add_points(
    treeline_merging *merging, const uint32_t *positions, const int64_t *rows, size_t count, treeline_error **error);
/// Merges the points, unless they are merged already. Returns the pieces.
treeline_bytes *treeline_merging_pieces(treeline_merging *merging, treeline_error **error);
/// Writes the place of each point. Points are numbered in the order in which they were added. The points must be merged
/// already.
bool treeline_merging_places(
    const treeline_merging *merging, size_t first, size_t count, uint32_t *places, treeline_error **error);
void treeline_merging_free(treeline_merging *merging);

/// Creates a survey of columns without values. Only names, types and kinds of the columns are read.
treeline_column_survey *treeline_column_survey_create(
    const treeline_column *columns, size_t column_count, treeline_error **error);
/// Reads a survey that `treeline_column_survey_bytes` has returned.
treeline_column_survey *treeline_column_survey_read(const void *bytes, size_t count, treeline_error **error);
/// Adds the values of some points. Each call must pass the same columns in the same order. Returns these values as
/// bytes for `treeline_encoding_encode`: each distinct value once, and 1 to 4 bytes per point.
///
/// \param rows Rows of the points, counted from 0, for error messages.
treeline_bytes *treeline_column_survey_add_values(
    treeline_column_survey *survey, const treeline_column *columns, size_t column_count, const int64_t *rows,
    size_t point_count, treeline_error **error);
/// Adds the survey of other points, given as bytes. Rows in that survey are increased by `first_row`.
bool treeline_column_survey_add_survey(
    treeline_column_survey *survey, const void *bytes, size_t count, int64_t first_row, treeline_error **error);
treeline_bytes *treeline_column_survey_bytes(const treeline_column_survey *survey);
/// Returns the columns whose distinct values must be gathered before the columns can be encoded. The columns are
/// returned as bytes for `treeline_entries_read`. Returns no bytes if there are no such columns. A survey keeps up to
/// 65,536 distinct values of a column. If a category or text column has more distinct values, a second pass over the
/// values gathers all of them.
///
/// \param most Maximum total size of the dictionaries of these columns, in bytes. A value takes 9 bytes plus the length
/// of its text.
treeline_bytes *treeline_column_survey_gathering(
    const treeline_column_survey *survey, size_t most, treeline_error **error);
/// Returns the encodings of the columns. All values must have been surveyed. It is an error if a value does not fit the
/// declared kind of its column, or if dictionaries exceed their limit.
///
/// \param entries All distinct values, if `treeline_column_survey_gathering` has returned any columns; otherwise NULL.
treeline_bytes *treeline_column_survey_encoding(
    const treeline_column_survey *survey, const treeline_entries *entries, treeline_error **error);
void treeline_column_survey_free(treeline_column_survey *survey);

/// Reads bytes that `treeline_column_survey_gathering` or `treeline_entries_bytes` has returned. Once the entries
/// exceed their limit, no more entries are kept.
treeline_entries *treeline_entries_read(const void *bytes, size_t count, treeline_error **error);
/// Adds values that `treeline_column_survey_add_values` has returned.
bool treeline_entries_add_values(treeline_entries *entries, const void *values, size_t count, treeline_error **error);
/// Adds entries that were gathered from other values.
bool treeline_entries_add_entries(treeline_entries *entries, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_entries_bytes(const treeline_entries *entries);
void treeline_entries_free(treeline_entries *entries);

/// Reads an encoding that `treeline_column_survey_encoding` has returned. Any number of threads may use an encoding.
treeline_encoding *treeline_encoding_read(const void *bytes, size_t count, treeline_error **error);
/// Returns the total size of a point's codes in all columns, in bytes.
size_t treeline_encoding_width(const treeline_encoding *encoding);
/// Writes the codes of some points, given their values as bytes from `treeline_column_survey_add_values`. The codes of
/// a point in all columns are adjacent. It is an error if a value was not surveyed, because such a value has no code.
bool treeline_encoding_encode(
    const treeline_encoding *encoding, const void *values, size_t count, uint8_t *codes, size_t point_count,
    treeline_error **error);
void treeline_encoding_free(treeline_encoding *encoding);

/// Reads pieces that `treeline_plan_pieces` or `treeline_merging_pieces` has returned.
treeline_pieces *treeline_pieces_read(const void *bytes, size_t count, treeline_error **error);
/// Returns a row for each piece, in tree order: the integer "point_count", and the boolean "is_stack", which is true if
/// all points of the piece share one position.
treeline_table *treeline_pieces_table(const treeline_pieces *pieces);
/// For each point, writes the number of the piece to which the point belongs.
void treeline_pieces_find(
    const treeline_pieces *pieces, const uint32_t *positions, size_t count, uint32_t *numbers);
/// Returns the data that are needed to build a piece, about 200 bytes.
treeline_bytes *treeline_pieces_task(const treeline_pieces *pieces, size_t number, treeline_error **error);
void treeline_pieces_free(treeline_pieces *pieces);

/// Creates a piece without points from the bytes of `treeline_pieces_task`.
///
/// \param encoding Encoding of the index's columns; NULL if the index has no columns.
treeline_piece *treeline_piece_create(
    const void *task, size_t count, const treeline_encoding *encoding, treeline_error **error);
/// Adds some points of the piece, in any order. Each point has a row from 0 to 2^53. `codes` contains the codes of the
/// first point, then the codes of the second point, and so on; `codes` may be NULL if there are no columns. It is an
/// error if a point belongs to another piece. Then no point is added.
bool treeline_piece_add(
    treeline_piece *piece, const uint32_t *positions, const int64_t *rows, const uint8_t *codes, size_t count,
    treeline_error **error);
/// Builds the piece and writes it into a folder. The piece appears in the folder when it is complete. All points of the
/// piece must have been added. Writing a piece twice is harmless, because the bytes are the same. A point takes 66
/// bytes of memory plus three times the length of its codes. If all points share one position, a point takes 8 bytes
/// without columns; with columns, it takes 16 bytes plus twice the length of its codes.
bool treeline_piece_write(treeline_piece *piece, const char *folder, size_t threads, treeline_error **error);
void treeline_piece_free(treeline_piece *piece);

/// Assembles the pieces in a folder into an index. The file appears when it is complete. Pieces are copied through
/// small buffers, so pieces need not fit into memory.
///
/// \param survey Survey of all points.
/// \param encoding Encoding with which the pieces were built; NULL if the pieces have no columns.
/// \param merging The merging that has returned the pieces; NULL for the pieces of a plan.
///
/// `description` and `monitor` may be NULL.
bool treeline_assemble(
    const treeline_pieces *pieces, const treeline_survey *survey, const treeline_encoding *encoding,
    const treeline_merging *merging, const char *folder, const char *path, const treeline_description *description,
    bool overwriting, const treeline_monitor *monitor, treeline_error **error);

#ifdef __cplusplus
}
#endif
#endif
