"""Traces: what `tandem simulate --trace`, `tandem validate --trace` and tandem-device write; a process is a run."""
from .files import kind_of, layers_text, parse, read_text, reading, table, wrong_kind

SPAN_COLUMNS = ["file", "process", "run", "label", "measured", "track", "unit", "slot", "kind", "stream", "index", "request",
                "model", "layers", "tensor", "from", "to", "release_ns", "ready_ns", "taken_ns", "start_ns", "end_ns",
                "duration_ns"]
REQUEST_COLUMNS = ["file", "process", "run", "label", "measured", "stream", "index", "request", "model", "release_ns", "start_ns",
                   "end_ns", "latency_ns", "wait_ns", "busy_ns", "dropped", "units"]


def _trace(file):
    document = parse(read_text(file), file)
    if kind_of(document) == "run-result/1" and document.get("trace"):
        document = document["trace"]
    if kind_of(document) != "trace/1":
        first = document[0] if isinstance(document, list) and document else document
        raise wrong_kind(file, kind_of(first), ["trace/1"])
    return document


class _Processes:
    """Runs and tracks of a trace, by their numbers."""

    def __init__(self, file, events):
        self.file, self.runs, self.tracks, counted = str(file), {}, {}, {}
        for event in events:
            if event.get("ph") != "M":
                continue
            pid, args = event["pid"], event.get("args", {})
            if event["name"] == "tandem_run":
                key = (args["policy"], args["measured"])
                counted[key] = counted.get(key, 0) + 1
                self.runs[pid] = {"file": self.file, "process": pid, "run": counted[key], "label": args["policy"],
                                  "measured": args["measured"], "engine": args["engine"], "seed": args["seed"],
                                  "granularity": args["granularity"], "end_ns": None, "complete": None}
            elif event["name"] == "tandem_end":
                self.runs[pid].update(end_ns=args["end_ns"], complete=args["complete"])
            elif event["name"] == "thread_name":
                self.tracks[pid, event["tid"]] = args

    def head(self, event):
        run = self.runs[event["pid"]]
        return {key: run[key] for key in ("file", "process", "run", "label", "measured")}

    def track(self, event):
        track = self.tracks[event["pid"], event["tid"]]
        return {"track": track["name"], "unit": track.get("unit"), "slot": track.get("slot")}


def _is_work(event):
    return event.get("ph") == "X" and "start_ns" in event.get("args", {})


def _is_drop(event):
    return event.get("ph") == "i" and event.get("args", {}).get("kind") == "dropped"


def runs(*files):
    """A row a run: predicted or measured, of which policy, when it ended."""
    rows = []
    for file in files:
        with reading(file):
            rows += _Processes(file, _trace(file)["traceEvents"]).runs.values()
    return table(rows)


def spans(*files):
    """A row a span: a task's work, a copy or a load on its track."""
    rows = []
    for file in files:
        events = _trace(file)["traceEvents"]
        with reading(file):
            processes = _Processes(file, events)
            for event in filter(_is_work, events):
                args = event["args"]
                own = {key: args.get(key) for key in ("kind", "stream", "index", "request", "model", "tensor", "from", "to",
                                                      "release_ns", "ready_ns", "taken_ns", "start_ns", "end_ns")}
                rows.append({**processes.head(event), **processes.track(event), **own, "layers": layers_text(args["layers"]),
                             "duration_ns": args["end_ns"] - args["start_ns"]})
    return table(rows, SPAN_COLUMNS)


def _served(processes, works):
    """A request's row from all of its spans."""
    first = works[0]["args"]
    start = min(event["args"]["start_ns"] for event in works)
    end = max(event["args"]["end_ns"] for event in works)
    computing = [event for event in works if event["args"]["kind"] == "compute"]
    units = dict.fromkeys(processes.track(event)["unit"] for event in computing)
    return {**processes.head(works[0]), "stream": first["stream"], "index": first["index"], "request": first["request"],
            "model": first["model"], "release_ns": first["release_ns"], "start_ns": start, "end_ns": end,
            "latency_ns": end - first["release_ns"], "wait_ns": start - first["release_ns"],
            "busy_ns": sum(event["args"]["end_ns"] - event["args"]["start_ns"] for event in computing),
            "dropped": False, "units": "+".join(unit for unit in units if unit)}


def requests(*files):
    """A row a request: when it was released, began and ended, its latency; one that was dropped has no end.

    A run that was cut short has requests that are not all done: runs() says which it is ("complete").
    """
    rows = []
    for file in files:
        events = _trace(file)["traceEvents"]
        with reading(file):
            processes, works, dropped = _Processes(file, events), {}, {}
            for event in filter(_is_work, events):
                works.setdefault((event["pid"], event["args"]["stream"], event["args"]["index"]), []).append(event)
            for event in filter(_is_drop, events):
                dropped[event["pid"], event["args"]["stream"], event["args"]["index"]] = event
            rows += [_served(processes, spans_of) for key, spans_of in works.items() if key not in dropped]
            for event in dropped.values():
                own = {key: event["args"][key] for key in ("stream", "index", "request", "model", "release_ns")}
                rows.append({**processes.head(event), **own, "dropped": True, "units": ""})
    return table(rows, REQUEST_COLUMNS).sort_values(["file", "process", "stream", "index"], kind="stable", ignore_index=True)
