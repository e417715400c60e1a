# %% [markdown]
# # A study, from the question to the tables
# Which policy wins on a shipped board, by how much, and for whom? Run me as a script, or cell by cell in an editor that
# knows `# %%`. `TANDEM` names the program, else it is looked for on the PATH.

# %%
import os
import subprocess
import tempfile
from pathlib import Path

import tandem_results as tr

tandem = os.environ.get("TANDEM", "tandem")
folder = Path(tempfile.mkdtemp(prefix="a_study_"))
report, trace = folder / "study.json", folder / "study.trace.json"

# %% Every policy of the study, simulated once
with report.open("w") as output:
    subprocess.run([tandem, "simulate", "study-003", "--engine", "virtual", "--trace", trace, "--json"], stdout=output, check=True)

# %% A row a policy: makespan, how far it is from the bound that no schedule can beat, latencies
policies = tr.reports(report).set_index("label")
policies["makespan_ms"] = policies["makespan_ns"] / 1e6
print(policies[["makespan_ms", "gap", "throughput_per_s", "latency_p99_ns"]].sort_values("makespan_ms").round(3))

# %% Whose gain is it? The mean latency of each stream under each policy, in ms
streams = tr.report_streams(report).pivot(index="stream", columns="label", values="latency_mean_ns") / 1e6
print(streams.round(1))

# %% How busy the units were
print(tr.report_units(report).pivot(index="unit", columns="label", values="utilization").round(3))

# %% The same from single requests: what the slowest tenth has in common
requests = tr.requests(trace)
slow = requests[requests["latency_ns"] >= requests.groupby("label")["latency_ns"].transform(lambda column: column.quantile(0.9))]
print(slow.groupby(["label", "stream"]).size().unstack(fill_value=0))

# %% What the report says is what the requests say
for label, table in requests.groupby("label"):
    assert table["end_ns"].max() == policies.loc[label, "makespan_ns"], label
print(f"{len(requests)} requests; tables and pictures are from {folder}")
