/// Builds in pieces, of points that need not fit the memory: on one machine, or by steps that any engine runs. Part of
/// treeline.h, which says what holds throughout.
#ifndef TREELINE_PIECES_H
#define TREELINE_PIECES_H

#include "treeline.h"

#ifdef __cplusplus
extern "C" {
#endif

// MARK: Indexes of points that come in batches

/// An index while its points arrive.
typedef struct treeline_stream treeline_stream;

/// Begins an index of points that need not fit the memory: batches go to a scratch folder, from which the index is
/// built in pieces, with the same bytes as of a tree that was built from all points at once and saved.
///
/// Options are split=mean or least-scatter, no-separation=true, threads=2, planar=true, rows=true, where the number of
/// each row is given, memory=1000000000, in bytes, about what it may take, and scratch= the folder in which the scratch
/// folder is made, beside the index unless told. Of columns names, types and kinds are looked at, not their values.
/// `description` may be NULL. One thread at a time may use a stream.
treeline_stream *treeline_stream_create(
    const char *path, const char *options, const treeline_column *columns, size_t column_count,
    const treeline_description *description, bool overwriting, treeline_error **error);

/// Takes in points and their values in the same columns, in the same order.
///
/// \param rows Where they are given, those of the points, from 0 to 2^53; otherwise rows follow those of the points
/// before, and it may be NULL.
/// \param refused Gets 1 for each point that is not on the sphere or on the plane, and is left out, though its row is
/// counted; 0 for the others. Where it is NULL such a point is an error, and none of the batch is taken in.
bool treeline_stream_add(
    treeline_stream *stream, const treeline_points *points, const int64_t *rows, const treeline_column *columns,
    size_t column_count, uint8_t *refused, treeline_error **error);

/// Writes the index, which appears whole or not at all. `monitor` may be NULL.
bool treeline_stream_finish(treeline_stream *stream, const treeline_monitor *monitor, treeline_error **error);

/// Removes the scratch folder, too.
void treeline_stream_free(treeline_stream *stream);

// MARK: Steps of a build in pieces

/// The same for points that lie in many places, by any engine that runs these steps where they are: Spark, a queue of
/// jobs. What goes from one to another is bytes, for one release of the library and machines of the same byte order;
/// they have a checksum, and functions that read them check them. The objects of these steps change: one thread at a
/// time may use one.
///
/// 1. Of each part a survey; surveys add up. 2. Of all a plan: it asks a round of questions, of each part come answers,
/// which add up, and so on until it asks no more. 3. Each point to its piece. 4. Each piece is built into a folder.
/// 5. The folder becomes the index. Of columns there is a survey of their own; of all values follows an encoding, by
/// which each point gets codes that go with it to its piece.

/// Bytes that one step of a build in pieces hands to another.
typedef struct treeline_bytes treeline_bytes;
/// How many points there are, and how far they reach.
typedef struct treeline_survey treeline_survey;
/// How points are divided into pieces, while that is found out.
typedef struct treeline_plan treeline_plan;
/// What a plan asks of all points, and what some of them answer.
typedef struct treeline_round treeline_round;
/// The pieces of a plan.
typedef struct treeline_pieces treeline_pieces;
/// What the values of columns have in common.
typedef struct treeline_column_survey treeline_column_survey;
/// All different values of columns that have many.
typedef struct treeline_entries treeline_entries;
/// How the values of columns become codes.
typedef struct treeline_encoding treeline_encoding;
/// A piece while its points arrive.
typedef struct treeline_piece treeline_piece;

const void *treeline_bytes_start(const treeline_bytes *bytes, size_t *count);
void treeline_bytes_free(treeline_bytes *bytes);

/// The survey of no points.
treeline_survey *treeline_survey_create(bool is_planar);
/// A survey that `treeline_survey_bytes` has written.
treeline_survey *treeline_survey_read(const void *bytes, size_t count, treeline_error **error);
/// \param refused As of `treeline_stream_add`.
bool treeline_survey_add_points(
    treeline_survey *survey, const treeline_points *points, uint8_t *refused, treeline_error **error);
/// Takes in a survey of other points, as bytes.
bool treeline_survey_add_survey(treeline_survey *survey, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_survey_bytes(const treeline_survey *survey);
void treeline_survey_free(treeline_survey *survey);

typedef struct treeline_extent_facts {
  size_t point_count;
  size_t clipped_point_count;
  /// Where the plane's x starts: so many units east of longitude -180.
  uint32_t seam;
} treeline_extent_facts;

void treeline_survey_facts(const treeline_survey *survey, treeline_extent_facts *facts);

/// Writes the position of each point, x and y, on the plane of a survey. That of no points on the sphere has its seam
/// at 0: positions that were found with it become those of another by subtracting its seam from x, modulo 2^32.
bool treeline_project(
    const treeline_survey *survey, const treeline_points *points, uint32_t *positions, treeline_error **error);

/// Options are split=mean or least-scatter; piece-size, how many points a piece has at most unless they have one
/// position: 17 or more, 1000000 unless told; and most-bins, about how many sums of 40 bytes answers have at most.
treeline_plan *treeline_plan_create(const char *options, treeline_error **error);
/// What to ask all points; NULL once the pieces are known. It is the same until answers are taken.
treeline_bytes *treeline_plan_round(treeline_plan *plan);
/// Takes what all points together answer; an error if it contradicts itself or earlier answers, as the answers of some
/// of the points do.
bool treeline_plan_take(treeline_plan *plan, const void *answers, size_t count, treeline_error **error);
/// The pieces, once there is nothing more to ask.
treeline_bytes *treeline_plan_pieces(treeline_plan *plan, treeline_error **error);
void treeline_plan_free(treeline_plan *plan);

/// A round as `treeline_plan_round` gave it, with the answers of no points.
treeline_round *treeline_round_read(const void *bytes, size_t count, treeline_error **error);
/// Takes in what some points answer, given their positions on the plane of the survey of all.
void treeline_round_add_points(treeline_round *round, const uint32_t *positions, size_t count);
/// Takes in answers of other points to the same round.
bool treeline_round_add_answers(treeline_round *round, const void *answers, size_t count, treeline_error **error);
treeline_bytes *treeline_round_answers(const treeline_round *round);
void treeline_round_free(treeline_round *round);

/// What the values of some columns have in common, of no points yet. Of columns names, types and kinds are looked at.
treeline_column_survey *treeline_column_survey_create(
    const treeline_column *columns, size_t column_count, treeline_error **error);
/// A survey that `treeline_column_survey_bytes` has written.
treeline_column_survey *treeline_column_survey_read(const void *bytes, size_t count, treeline_error **error);
/// Takes in the values of some points in the same columns, in the same order, and returns these values as bytes, for
/// `treeline_encoding_encode`: each different one once, and 1 to 4 bytes a point.
///
/// \param rows Of the points, from 0 on, by which errors tell of them.
treeline_bytes *treeline_column_survey_add_values(
    treeline_column_survey *survey, const treeline_column *columns, size_t column_count, const int64_t *rows,
    size_t point_count, treeline_error **error);
/// Takes in a survey of other points, as bytes, to whose rows `first_row` is added.
bool treeline_column_survey_add_survey(
    treeline_column_survey *survey, const void *bytes, size_t count, int64_t first_row, treeline_error **error);
treeline_bytes *treeline_column_survey_bytes(const treeline_column_survey *survey);
/// What is to be gathered before the columns can be encoded, as bytes that `treeline_entries_read` reads; none where
/// nothing is. A survey keeps up to 65,536 different values of a column; of a category or text that has more all are
/// gathered by a second look at the values.
///
/// \param most How long the dictionaries of these columns may be together, in bytes: 9 and its text for each value.
treeline_bytes *treeline_column_survey_gathering(
    const treeline_column_survey *survey, size_t most, treeline_error **error);
/// How the columns are encoded, once all values are surveyed. It is an error if a value does not suit the kind that its
/// column is declared to be of, or if dictionaries are longer than they may be.
///
/// \param entries All different values, where they were to be gathered; NULL otherwise.
treeline_bytes *treeline_column_survey_encoding(
    const treeline_column_survey *survey, const treeline_entries *entries, treeline_error **error);
void treeline_column_survey_free(treeline_column_survey *survey);

/// What `treeline_column_survey_gathering` asks for, or `treeline_entries_bytes` has written. Once there are more than
/// there may be nothing more is kept.
treeline_entries *treeline_entries_read(const void *bytes, size_t count, treeline_error **error);
/// Takes in values that `treeline_column_survey_add_values` has returned.
bool treeline_entries_add_values(treeline_entries *entries, const void *values, size_t count, treeline_error **error);
/// Takes in what was gathered of other values.
bool treeline_entries_add_entries(treeline_entries *entries, const void *bytes, size_t count, treeline_error **error);
treeline_bytes *treeline_entries_bytes(const treeline_entries *entries);
void treeline_entries_free(treeline_entries *entries);

/// An encoding as `treeline_column_survey_encoding` gave it. Any threads may use one.
treeline_encoding *treeline_encoding_read(const void *bytes, size_t count, treeline_error **error);
/// How long the codes of a point are, in bytes.
size_t treeline_encoding_width(const treeline_encoding *encoding);
/// Writes the codes of some points, of all columns one behind the other, given their values as bytes. A value that has
/// no code, as it was not surveyed, is an error.
bool treeline_encoding_encode(
    const treeline_encoding *encoding, const void *values, size_t count, uint8_t *codes, size_t point_count,
    treeline_error **error);
void treeline_encoding_free(treeline_encoding *encoding);

/// Pieces as `treeline_plan_pieces` gave them.
treeline_pieces *treeline_pieces_read(const void *bytes, size_t count, treeline_error **error);
/// A row for each piece, in tree order: "point_count", integers, and "is_stack", whether all its points have one
/// position, booleans.
treeline_table *treeline_pieces_table(const treeline_pieces *pieces);
/// Writes the number of the piece of each point.
void treeline_pieces_find(
    const treeline_pieces *pieces, const uint32_t *positions, size_t count, uint32_t *numbers);
/// What has to be known to build a piece: some 200 bytes.
treeline_bytes *treeline_pieces_task(const treeline_pieces *pieces, size_t number, treeline_error **error);
void treeline_pieces_free(treeline_pieces *pieces);

/// A piece as `treeline_pieces_task` gave it, without its points.
///
/// \param encoding Of the columns that the index is to have; NULL for none.
treeline_piece *treeline_piece_create(
    const void *task, size_t count, const treeline_encoding *encoding, treeline_error **error);
/// Takes in some of its points, or none if one is of another piece, in any order, with the row of each, from 0 to 2^53,
/// and its codes, one point's behind another's; `codes` may be NULL without columns.
bool treeline_piece_add(
    treeline_piece *piece, const uint32_t *positions, const int64_t *rows, const uint8_t *codes, size_t count,
    treeline_error **error);
/// Builds the piece, all of whose points are there, into a folder, where it appears whole. To write it twice does no
/// harm: it is the same bytes. Takes 66 bytes a point of memory and three times its codes; where all have one position,
/// 8, or 16 and twice its codes.
bool treeline_piece_write(treeline_piece *piece, const char *folder, size_t threads, treeline_error **error);
void treeline_piece_free(treeline_piece *piece);

/// Puts the pieces in a folder together as an index, which appears whole or not at all. They are copied as streams.
///
/// Its separations are computed once its nodes are written, by way of a file in the folder of 2 bytes a point.
///
/// Options are no-separation=true; and memory=1000000000, in bytes, about what separations may take, and threads=2.
///
/// \param survey Of all points.
/// \param encoding That the pieces were built with; NULL for none. `description` and `monitor` may be NULL.
bool treeline_assemble(
    const treeline_pieces *pieces, const treeline_survey *survey, const treeline_encoding *encoding,
    const char *folder, const char *path, const char *options, const treeline_description *description,
    bool overwriting, const treeline_monitor *monitor, treeline_error **error);

#ifdef __cplusplus
}
#endif
#endif
