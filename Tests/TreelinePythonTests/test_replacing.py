"""Checks that a build does not replace a good index by an index without most of its rows."""

import warnings

import numpy as np
import pytest
import treelinemap

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def out(tmp_path):
    """Returns the path of an index of 200 points."""
    path = tmp_path / "places.treeline"
    treelinemap.build(np.linspace(0, 90, 200), np.linspace(0, 45, 200)).save(path)
    return path


def write(folder, lon):
    pq.write_table(pa.table({"lon": pa.array(lon, pa.float64()), "lat": np.zeros(len(lon))}), folder / "in.parquet")
    return folder / "in.parquet"


@pytest.mark.parametrize("lon, count", [([], 0), ([200.0, None], 0), ([1.0, 200.0, None, 300.0], 1)])
def test_an_index_is_kept_if_most_rows_have_no_position(lon, count, out, tmp_path):
    source, before = write(tmp_path, lon), out.read_bytes()
    refused = tmp_path / "refused.parquet"
    options = {"skip_invalid": True, "refused": refused}
    message = f"places.treeline: only {count} of {len(lon)} rows have a position; the existing index of 200 points was "
    with pytest.raises(treelinemap.BuildError, match=message + "kept; allow_loss=True replaces it"):
        treelinemap.build_parquet(source, out=out, **options)
    assert out.read_bytes() == before and not refused.exists()
    with warnings.catch_warnings(record=True) as caught:
        treelinemap.build_parquet(source, out=out, allow_loss=True, **options)
    assert len(caught) == (len(lon) > 0)
    assert len(treelinemap.open(out)) == count


def test_an_index_is_replaced_if_most_rows_have_a_position(out, tmp_path):
    with pytest.warns(UserWarning, match="2 rows are not in"):
        treelinemap.build_parquet(write(tmp_path, [1.0, 2.0, None, 200.0]), out=out, skip_invalid=True)
    assert len(treelinemap.open(out)) == 2


def test_only_an_index_with_points_is_kept(out, tmp_path):
    source = write(tmp_path, [])
    assert treelinemap.build_parquet(source, out=tmp_path / "new").point_count == 0
    assert treelinemap.build_parquet(source, out=tmp_path / "new").point_count == 0
    (tmp_path / "text").write_text("no index")
    assert treelinemap.build_parquet(source, out=tmp_path / "text", overwrite=True).point_count == 0
