/// Builds in pieces, for points that may not fit in memory: on one machine, or in steps that any engine runs. Part of
/// treeline.h, whose general rules apply.
#ifndef TREELINE_PIECES_H
#define TREELINE_PIECES_H

#include "treeline.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Indexes of points that come in batches

/// An index while its points arrive.
typedef struct treeline_stream treeline_stream;

/// Begins an index of points that may not fit in memory. Batches go to a scratch folder, from which the index is built
/// in pieces. The index has the same bytes as the saved tree of a build from all points at once.
///
/// Options are split=mean or least-scatter; no-separation=true; threads=2; planar=true; rows=true if the row of each
/// point is given; memory=1000000000, the approximate limit in bytes; and scratch=, the folder in which the scratch
/// folder is created, by default next to the index. Only names, types and kinds of columns are read, not their values.
/// `description` may be NULL. A stream must be used by only one thread at a time.
treeline_stream *treeline_stream_create(
    const char *path, const char *options, const treeline_column *columns, size_t column_count,
    const treeline_description *description, bool overwriting, treeline_error **error);

/// Adds points and their values. Each call must pass the same columns in the same order.
///
/// \param rows Rows of the points, from 0 to 2^53, if rows are given. Otherwise rows continue from the points before,
/// and `rows` may be NULL. \param refused Receives 1 for each point that is not on the sphere or on the plane, and 0
/// for all other points. Such a point is omitted, but its row is counted. If `refused` is NULL, such a point is an
/// error, and no point of the batch is added.
bool treeline_stream_add(
    treeline_stream *stream, const treeline_points *points, const int64_t *rows, const treeline_column *columns,
    size_t column_count, uint8_t *refused, treeline_error **error);

/// Writes the index. The file appears complete or not at all. `monitor` may be NULL.
bool treeline_stream_finish(treeline_stream *stream, const treeline_monitor *monitor, treeline_error **error);

/// Frees the stream and removes its scratch folder.
void treeline_stream_free(treeline_stream *stream);

// MARK: Steps of a build in pieces

/// These steps build an index of points in many places, on any engine that runs them where the points are: Spark, a
/// queue of jobs. The steps pass bytes to each other. Only the same release of the library, on machines of the same
/// byte order, can read these bytes. They have a checksum, which every function that reads them checks. The objects of
/// these steps change, so each must be used by only one thread at a time.
///
/// 1. Each part is surveyed; surveys add up. 2. A plan is made from the total: it asks a round of questions, each part
/// answers them, answers add up, and so on until the plan asks no more. 3. Each point goes to its piece. 4. Each piece
/// is built into a folder. 5. The folder becomes the index. Columns have a survey of their own. All values together
/// determine an encoding. It turns the values of each point into codes, which go to the piece with the point.

/// Number and extent of points.
typedef struct treeline_survey treeline_survey;
/// A division of points into pieces, while it is being determined.
typedef struct treeline_plan treeline_plan;
/// Questions of a plan to all points, and the answers of some of them.
typedef struct treeline_round treeline_round;
/// The pieces of a plan.
typedef struct treeline_pieces treeline_pieces;
/// A summary of the values of columns.
typedef struct treeline_column_survey treeline_column_survey;
/// All distinct values of columns that have many distinct values.
typedef struct treeline_entries treeline_entries;
/// The mapping of column values to codes.
typedef struct treeline_encoding treeline_encoding;
/// A piece while its points arrive.
typedef struct treeline_piece treeline_piece;

/// Creates a survey of no points.
treeline_survey *treeline_survey_create(bool is_planar);
/// Reads a survey that `treeline_survey_bytes` has written.
treeline_survey *treeline_survey_read(const void *bytes, size_t count, treeline_error **error);
/// \param refused As in `treeline_stream_add`.
bool treeline_survey_add_points(
    treeline_survey *survey, const treeline_points *points, uint8_t *refused, treeline_error **error);
/// Adds a survey of other points, given as bytes.
bool treeline_survey_add_survey(treeline_survey *survey, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_survey_bytes(const treeline_survey *survey);
void treeline_survey_free(treeline_survey *survey);

typedef struct treeline_extent_facts {
  size_t point_count;
  size_t clipped_point_count;
  /// Offset of the plane's x = 0 from longitude -180, in units eastwards.
  uint32_t seam;
} treeline_extent_facts;

void treeline_survey_facts(const treeline_survey *survey, treeline_extent_facts *facts);

/// Writes the position of each point, x and y, on the plane of a survey. The seam of a survey without points on the
/// sphere is 0. To turn positions found with such a survey into positions of another survey, subtract the other
/// survey's seam from x, modulo 2^32.
bool treeline_project(
    const treeline_survey *survey, const treeline_points *points, uint32_t *positions, treeline_error **error);

/// Options are split=mean or least-scatter; piece-size, the maximum number of points in a piece unless all have one
/// position: 17 or more, 1000000 by default; and most-bins, the approximate maximum number of sums in answers, of 40
/// bytes each.
treeline_plan *treeline_plan_create(const char *options, treeline_error **error);
/// Returns the questions to all points; NULL once the pieces are known. The questions stay the same until answers are
/// taken.
treeline_bytes *treeline_plan_round(treeline_plan *plan);
/// Takes the answers of all points together. It is an error if they contradict each other or earlier answers, as
/// answers of only some of the points do.
bool treeline_plan_take(treeline_plan *plan, const void *answers, size_t count, treeline_error **error);
/// Returns the pieces, once there are no more questions.
treeline_bytes *treeline_plan_pieces(treeline_plan *plan, treeline_error **error);
void treeline_plan_free(treeline_plan *plan);

/// Reads a round that `treeline_plan_round` returned, with the answers of no points.
treeline_round *treeline_round_read(const void *bytes, size_t count, treeline_error **error);
/// Adds the answers of some points, given their positions on the plane of the survey of all points.
void treeline_round_add_points(treeline_round *round, const uint32_t *positions, size_t count);
/// Adds answers of other points to the same round.
bool treeline_round_add_answers(treeline_round *round, const void *answers, size_t count, treeline_error **error);
treeline_bytes *treeline_round_answers(const treeline_round *round);
void treeline_round_free(treeline_round *round);

/// Creates a survey of columns, without any values yet. Only names, types and kinds of the columns are read.
treeline_column_survey *treeline_column_survey_create(
    const treeline_column *columns, size_t column_count, treeline_error **error);
/// Reads a survey that `treeline_column_survey_bytes` has written.
treeline_column_survey *treeline_column_survey_read(const void *bytes, size_t count, treeline_error **error);
/// Adds the values of some points. Each call must pass the same columns in the same order. Returns these values as
/// bytes for `treeline_encoding_encode`: each distinct value once, and 1 to 4 bytes per point.
///
/// \param rows Rows of the points, counted from 0, which errors name.
treeline_bytes *treeline_column_survey_add_values(
    treeline_column_survey *survey, const treeline_column *columns, size_t column_count, const int64_t *rows,
    size_t point_count, treeline_error **error);
/// Adds a survey of other points, given as bytes. `first_row` is added to its rows.
bool treeline_column_survey_add_survey(
    treeline_column_survey *survey, const void *bytes, size_t count, int64_t first_row, treeline_error **error);
treeline_bytes *treeline_column_survey_bytes(const treeline_column_survey *survey);
/// Returns the columns whose distinct values must be gathered before they can be encoded, as bytes for
/// `treeline_entries_read`; empty if there are no such columns. A survey keeps up to 65,536 distinct values of a
/// column. If a category or text column has more, a second pass over the values gathers all of them.
///
/// \param most Maximum total size of the dictionaries of these columns, in bytes: 9 bytes and the text for each value.
treeline_bytes *treeline_column_survey_gathering(
    const treeline_column_survey *survey, size_t most, treeline_error **error);
/// Returns the encodings of the columns, once all values are surveyed. It is an error if a value does not suit the
/// declared kind of its column, or if dictionaries exceed their limit.
///
/// \param entries All distinct values, if they had to be gathered; otherwise NULL.
treeline_bytes *treeline_column_survey_encoding(
    const treeline_column_survey *survey, const treeline_entries *entries, treeline_error **error);
void treeline_column_survey_free(treeline_column_survey *survey);

/// Reads bytes that `treeline_column_survey_gathering` returned or `treeline_entries_bytes` has written. Once the
/// entries exceed their limit, no more entries are kept.
treeline_entries *treeline_entries_read(const void *bytes, size_t count, treeline_error **error);
/// Adds values that `treeline_column_survey_add_values` has returned.
bool treeline_entries_add_values(treeline_entries *entries, const void *values, size_t count, treeline_error **error);
/// Adds entries gathered from other values.
bool treeline_entries_add_entries(treeline_entries *entries, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_entries_bytes(const treeline_entries *entries);
void treeline_entries_free(treeline_entries *entries);

/// Reads an encoding that `treeline_column_survey_encoding` returned. Any number of threads may use an encoding.
treeline_encoding *treeline_encoding_read(const void *bytes, size_t count, treeline_error **error);
/// Returns the size of the codes of a point, in bytes.
size_t treeline_encoding_width(const treeline_encoding *encoding);
/// Writes the codes of some points, given their values as bytes. The codes of all columns of a point follow each other.
/// A value without a code, because it was not surveyed, is an error.
bool treeline_encoding_encode(
    const treeline_encoding *encoding, const void *values, size_t count, uint8_t *codes, size_t point_count,
    treeline_error **error);
void treeline_encoding_free(treeline_encoding *encoding);

/// Reads pieces that `treeline_plan_pieces` returned.
treeline_pieces *treeline_pieces_read(const void *bytes, size_t count, treeline_error **error);
/// Returns a row for each piece, in tree order: integers "point_count", and booleans "is_stack", whether all its points
/// have one position.
treeline_table *treeline_pieces_table(const treeline_pieces *pieces);
/// Writes the number of the piece of each point.
void treeline_pieces_find(
    const treeline_pieces *pieces, const uint32_t *positions, size_t count, uint32_t *numbers);
/// Returns the information that is needed to build a piece: about 200 bytes.
treeline_bytes *treeline_pieces_task(const treeline_pieces *pieces, size_t number, treeline_error **error);
void treeline_pieces_free(treeline_pieces *pieces);

/// Creates a piece from the bytes of `treeline_pieces_task`, without its points.
///
/// \param encoding Encoding of the index's columns; NULL if the index has no columns.
treeline_piece *treeline_piece_create(
    const void *task, size_t count, const treeline_encoding *encoding, treeline_error **error);
/// Adds some of the piece's points, in any order. Each point has a row, from 0 to 2^53. The codes follow each other
/// point by point. If a point belongs to another piece, no point is added. `codes` may be NULL if there are no columns.
bool treeline_piece_add(
    treeline_piece *piece, const uint32_t *positions, const int64_t *rows, const uint8_t *codes, size_t count,
    treeline_error **error);
/// Builds the piece, once all its points are added, into a folder, where it appears complete. Writing a piece twice is
/// harmless, since the bytes are the same. Each point takes 66 bytes of memory and three times the length of its codes.
/// If all points have one position, each takes 8 bytes, or with columns 16 bytes and twice the length of its codes.
bool treeline_piece_write(treeline_piece *piece, const char *folder, size_t threads, treeline_error **error);
void treeline_piece_free(treeline_piece *piece);

/// Assembles the pieces in a folder into an index. The file appears complete or not at all. Pieces are copied as
/// streams.
///
/// Separations are computed once the nodes are written, by way of a file in the folder with 2 bytes per point.
///
/// Options are no-separation=true; memory=1000000000, the approximate limit of separations in bytes; and threads=2.
///
/// \param survey Survey of all points. \param encoding Encoding that the pieces were built with; NULL if they have no
/// columns. `description` and `monitor` may be NULL.
bool treeline_assemble(
    const treeline_pieces *pieces, const treeline_survey *survey, const treeline_encoding *encoding,
    const char *folder, const char *path, const char *options, const treeline_description *description,
    bool overwriting, const treeline_monitor *monitor, treeline_error **error);

#ifdef __cplusplus
}
#endif
#endif
