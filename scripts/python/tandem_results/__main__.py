"""Pictures and tables of what tandem predicts and measures.

usage: python3 -m tandem_results COMMAND FILES... [-o FILE.svg|pdf|png]
"""
import argparse
import sys

from . import (ResultsError, calibration, calibration_layers, calibration_percentiles, calibration_runs, profile,
               profile_samples, report_percentiles, report_streams, report_units, reports, requests, runs, spans, sweep)
from .pictures import error, latencies, style, timeline

PICTURES = {"latencies": latencies, "timeline": timeline, "error": error}
TABLES = {function.__name__: function for function in (
    reports, report_streams, report_units, report_percentiles, runs, spans, requests, profile, profile_samples, sweep, calibration,
    calibration_runs, calibration_layers, calibration_percentiles)}
EXAMPLES = """examples:
  tandem simulate study-003 --trace study.trace.json --json > study.json
  python3 -m tandem_results latencies study.trace.json --reports study.json -o latencies.pdf
  python3 -m tandem_results timeline study.trace.json --policy fcfs --policy eft --to-ms 500 -o timeline.svg
  python3 -m tandem_results error calibration.json -o error.pdf
  python3 -m tandem_results table reports study.json
"""


def read_arguments(words):
    parser = argparse.ArgumentParser(prog="python3 -m tandem_results", description=__doc__.split("\n", 1)[0], epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, picture in PICTURES.items():
        command = commands.add_parser(name, help=picture.__doc__.split("\n")[0], description=picture.__doc__, epilog=EXAMPLES,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
        picture.add_arguments(command)
        command.add_argument("--policy", action="append", default=[], metavar="LABEL", help="these policies alone")
        command.add_argument("--width", choices=style.WIDTHS, default="column", help="of a paper: a column (3.5 in) or a page")
        command.add_argument("-o", "--output", required=True, metavar="FILE", help="ends in .svg, .pdf or .png")
    command = commands.add_parser("table", help="a table as CSV on standard output", epilog=EXAMPLES,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("table", choices=TABLES, help="which; each is the function of this name")
    command.add_argument("files", nargs="+", metavar="FILE", help='"-" is standard input')
    return parser.parse_args(words)


def run(arguments):
    if arguments.command == "table":
        print(TABLES[arguments.table](*arguments.files).to_csv(index=False), end="")
        return
    style.check_output(arguments.output)
    figure, notes = PICTURES[arguments.command].draw(arguments)
    style.save(figure, arguments.output)
    for note in notes:
        print(f"tandem_results: {note}", file=sys.stderr)


def main(words=None):
    arguments = read_arguments(words)
    try:
        run(arguments)
    except ResultsError as problem:
        print(f"tandem_results: {problem}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
