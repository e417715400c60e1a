# %% [markdown]
# # Predicted against measured
# Profiles, simulates and runs a small scenario on this machine, and looks at every error. Its units are emulated, they wait
# as long as the profile says: what is measured is tandem's own dispatcher. Put a platform of yours in their place. `TANDEM`
# names the program, with `tandem-device` beside it, else both are looked for on the PATH.

# %%
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import tandem_results as tr

tandem = os.environ.get("TANDEM", "tandem")
folder = Path(tempfile.mkdtemp(prefix="is_it_right_"))
times_us = {("mobilenet_v2", "gpu"): 2000, ("mobilenet_v2", "npu"): 3000, ("resnet50", "gpu"): 6000, ("resnet50", "npu"): 5000}
scenario = {
    "tandem": "scenario/1", "name": "two emulated units", "transfer": "none", "policies": ["fcfs", "sjf", "eft"],
    "platform": {"name": "desk", "memories": [{"name": "gpu"}, {"name": "npu"}],
                 "units": [{"name": kind, "kind": kind, "memory": kind, "backend": "emulated"} for kind in ("gpu", "npu")]},
    "profiles": [{"tandem": "profile/1", "platform": "desk", "origin": {"kind": "estimated", "method": "made up", "error": 0.02},
                  "entries": [{"model": model, "unit": unit, "layers": "*", "median_us": time}
                              for (model, unit), time in times_us.items()]}],
    "streams": [{"name": "camera", "model": "mobilenet_v2", "count": 20, "arrival": {"type": "periodic", "fps": 250}},
                {"name": "batch", "model": "resnet50", "count": 10, "arrival": {"type": "offline"}}]}
(folder / "small.scenario.json").write_text(json.dumps(scenario))

# %% Predict, run each policy three times, compare. Status 1: the predicted winner was not the best, which is a result, too
answer = subprocess.run([tandem, "validate", "small.scenario.json", "--repeat", "3", "--trace", "small.trace.json", "--json"],
                        cwd=folder, stdout=subprocess.PIPE, check=False)
assert answer.returncode in (0, 1), answer.returncode
(folder / "calibration.json").write_bytes(answer.stdout)

# %% Each policy's makespan, predicted and measured, and whether the error is in its bar
table = tr.calibration(folder / "calibration.json")
print(table[["label", "predicted_ns", "measured_ns", "error", "error_low", "error_high", "verdict", "runs"]])

# %% Where the time went: segments on their units
print(tr.calibration_layers(folder / "calibration.json")[["model", "unit", "predicted_ns", "measured_ns", "error"]])

# %% Latencies of single requests, predicted and measured
requests = tr.requests(folder / "small.trace.json")
print(requests.groupby(["label", "measured"])["latency_ns"].quantile([0.5, 0.99]).unstack() / 1e6)

# %% The three pictures, by their commands
for picture, file in (("latencies", "small.trace.json"), ("timeline", "small.trace.json"), ("error", "calibration.json")):
    subprocess.run([sys.executable, "-m", "tandem_results", picture, file, "-o", f"{picture}.pdf"],
                   cwd=folder, check=True)
print(f"tables and pictures are in {folder}")
