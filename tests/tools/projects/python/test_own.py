import multiprocessing
import tempfile


def test_processes():
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-1, -2]) == [1, 2]


def test_temporary_files(tmp_path):
    (tmp_path / "a").write_text("a")
    with tempfile.NamedTemporaryFile() as file:
        file.write(b"a")
