"""What tandem predicts and measures, as pandas tables.

    import tandem_results as tr
    tr.reports("study.json")          # tandem simulate --json: a row a policy
    tr.requests("study.trace.json")   # tandem simulate --trace: a row a request
    tr.sweep("rows")                  # tandem sweep -o rows: a row a run

Columns have tandem's own names, whose ends are their units (_ns, _us, _per_s, _j, _bytes); an interval [low, high] is two
columns, ..._low and ..._high before the unit, and the median of the draws that it is of one, ..._median. docs/formats.md
says what each figure means. A file that is not what a function reads raises ResultsError, which says what it is and what
reads it.
"""
from .calibrations import calibration, calibration_layers, calibration_percentiles, calibration_runs
from .files import ResultsError
from .profiles import profile, profile_samples
from .reports import report_percentiles, report_streams, report_units, reports
from .sweeps import sweep
from .traces import requests, runs, spans

__all__ = ["ResultsError", "calibration", "calibration_layers", "calibration_percentiles", "calibration_runs", "profile",
           "profile_samples", "report_percentiles", "report_streams", "report_units", "reports", "requests", "runs", "spans",
           "sweep"]
