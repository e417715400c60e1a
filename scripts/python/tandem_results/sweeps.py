"""Sweeps: the folder of rows, files of rows, or what `tandem sweep --collect --json` prints."""
import pathlib

from .files import ResultsError, kind_of, low_high, parse, read_text, reading, table, wrong_kind


def _rows_of_lines(file):
    """A line each. What a kill has torn is the last line of its file, and no row; tandem runs it again."""
    lines = [line for line in read_text(file).split("\n") if line.strip()]
    for number, line in enumerate(lines, 1):
        try:
            row = parse(line, f"{file}:{number}")
        except ResultsError:
            if number == len(lines):
                return
            raise
        if kind_of(row) != "sweep_row/1":
            raise wrong_kind(f"{file}:{number}", kind_of(row), ["sweep_row/1", "sweep_summary/1"])
        yield f"{file}:{number}", row


def _rows(place):
    path = pathlib.Path(place)
    if str(place) != "-" and path.is_dir():
        files = sorted(path.glob("*.rows.jsonl"))
        if not files:
            raise ResultsError(f"{place}: has no rows (*.rows.jsonl); `tandem sweep SPEC -o {place}` writes them")
        for file in files:
            yield from _rows_of_lines(file)
        return
    if path.name.endswith((".jsonl", ".ndjson")):
        yield from _rows_of_lines(path)
        return
    document = parse(read_text(place), place)
    if kind_of(document) == "sweep_row/1":
        document = {"tandem": "sweep_summary/1", "rows": [document]}
    if kind_of(document) != "sweep_summary/1":
        first = document[0] if isinstance(document, list) and document else document
        raise wrong_kind(place, kind_of(first), ["sweep_summary/1", "sweep_row/1"])
    with reading(place):
        for number, row in enumerate(document["rows"]):
            yield f"{place}:/rows/{number}", row


def _drawn(row, drawn):
    """Of each figure that is drawn its median and interval; none where no run has any."""
    columns = {}
    for name in drawn:
        unit = next((unit for unit in ("_ns", "_per_s", "_j") if name.endswith(unit)), "")
        plain = name.removesuffix(unit)
        columns[f"{plain}_median{unit}"] = row.get("medians", {}).get(name)
        columns.update(low_high(row.get("intervals", {}), name, plain, unit))
    return columns


def sweep(*places):
    """A row a run: a column per axis, the policy, its status, and a column per figure. Sorted by axes and policy.

    A run that stands in several files counts once. Rows of two versions of tandem are not compared.
    """
    rows, versions, axes, figures, drawn = {}, {}, {}, {}, {}
    for place in places:
        for where, row in _rows(place):
            with reading(where):
                versions.setdefault(row["version"], where)
                axes.update(dict.fromkeys(row["point"]))
                figures.update(dict.fromkeys(row["figures"]))
                drawn.update(dict.fromkeys(row.get("intervals", {})))
                if row["status"] == "ok" or row["key"] not in rows or rows[row["key"]]["status"] != "ok":
                    rows[row["key"]] = row
    if len(versions) > 1:
        (old, first), (new, second) = list(versions.items())[:2]
        raise ResultsError(f"{second}: is of tandem {new}, and {first} of tandem {old}: a folder for each version, and one at a "
                           "time")
    own = ("policy", "status", "message", "beside", "engine", "key")
    names = {axis: f"axis_{axis}" if axis in (*own, *figures) else axis for axis in axes}
    frame = table([{**{names[axis]: row["point"].get(axis) for axis in axes}, "policy": row["policy"],
                    "status": row["status"], **{name: row["figures"].get(name) for name in figures}, **_drawn(row, drawn),
                    "message": row["message"], "beside": row.get("beside", False), "engine": row["engine"],
                    "key": row["key"]} for row in rows.values()])
    by = [column for column in (*names.values(), "policy", "key") if column in frame]
    try:
        return frame.sort_values(by, kind="stable", ignore_index=True)
    except TypeError:  # an axis of values of several kinds
        return frame.sort_values("key", kind="stable", ignore_index=True)
