# %% [markdown]
# # A sweep, as a surface
# How does the answer depend on how much there is to do? `TANDEM` names the program, else it is looked for on the PATH.

# %%
import os
import subprocess
import tempfile
from pathlib import Path

import tandem_results as tr
from tandem_results.pictures import style

tandem = os.environ.get("TANDEM", "tandem")
folder = Path(tempfile.mkdtemp(prefix="a_sweep_"))
rows = folder / "rows"

# %% Every run of the shipped sweep; what is there already is not run again
subprocess.run([tandem, "sweep", "study-003-counts", "-o", rows], check=True, stdout=subprocess.DEVNULL)
table = tr.sweep(rows)
print(table[["n", "mobilenet", "seed", "policy", "makespan_ns", "status"]].head())

# %% The best policy at each point
good = table[table["status"] == "ok"]
best = good.loc[good.groupby(["n", "mobilenet", "seed"])["makespan_ns"].idxmin()]
print(best.groupby(["n", "policy"]).size().unstack(fill_value=0))

# %% What `eft` gains over `fcfs`, in percent, over both axes
means = good.groupby(["policy", "mobilenet", "n"])["makespan_ns"].mean()
surface = (1 - (means["eft"] / means["fcfs"])).unstack("n") * 100
print(surface.round(1))

# %% As a picture: a colour and the number itself in every field
figure, grid = style.new_figure("column", 2.4)
axes = grid[0][0]
axes.grid(False)
drawn = axes.pcolormesh(surface.to_numpy(), cmap="viridis")
for row, values in enumerate(surface.to_numpy()):
    for column, value in enumerate(values):
        axes.text(column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color="white", fontweight="bold", fontsize=6)
axes.set(xticks=[place + 0.5 for place in range(len(surface.columns))], xticklabels=surface.columns, xlabel="n",
         yticks=[place + 0.5 for place in range(len(surface.index))], yticklabels=surface.index, ylabel="mobilenet")
figure.colorbar(drawn, label="gain of eft over fcfs (%)")
style.save(figure, folder / "surface.pdf")
print(f"the picture is {folder / 'surface.pdf'}")
