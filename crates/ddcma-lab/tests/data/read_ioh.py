"""What iohinspector finds in files of IOHprofiler: successes and expected running times, a line of JSON for each.

    pip install iohinspector
    python crates/ddcma-lab/tests/data/read_ioh.py FOLDER TARGET...
"""

import json
import sys
import warnings

warnings.simplefilter("error")
from iohinspector import DataManager
from iohinspector.metrics import aggregate_running_time

manager = DataManager()
manager.add_folder(sys.argv[1])
data = manager.load(monotonic=False, include_meta_data=True)
key = ["algorithm_name", "function_name", "dimension"]
for (algorithm, function, dimension), runs in data.group_by(key):
    for target in map(float, sys.argv[2:]):
        # Failures count with all of their evaluations, which are the same for all runs of our test.
        found = aggregate_running_time(
            runs, free_vars=key, f_min=target, f_max=target, scale_f_log=False, eval_max=runs["evals"].max()
        ).iloc[0]
        row = {"algorithm": algorithm, "function": function, "n": dimension, "target": target}
        print(json.dumps(row | {"successes": int(found["success_count"]), "ert": str(float(found["ERT"]))}))
