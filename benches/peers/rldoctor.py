"""Says of runs what rldoctor says of them: the peer of benches/diagnosers.rs.

    python rldoctor.py FILE...

Each file is JSON Lines, as rldoctor reads them. Prints the version as the first line, then one JSON object a file, in
order: {"findings": [{"detector", "severity", "summary"}], "error"}. Severities are rldoctor's own: info, warning,
critical.
"""

import importlib.metadata
import json
import sys

from rl_doctor.detectors.base import Severity
from rl_doctor.diagnosis import diagnose
from rl_doctor.ingest import load_run


def said(path):
    try:
        result = diagnose(load_run(path))
    except Exception as error:  # a run that it cannot read is its answer
        return {"findings": [], "error": f"{type(error).__name__}: {error}"}
    findings = [
        {"detector": finding.detector, "severity": finding.severity.name.lower(), "summary": finding.summary}
        for finding in result.problems
        if finding.severity >= Severity.INFO
    ]
    return {"findings": findings, "error": None}


if __name__ == "__main__":
    print("rldoctor " + importlib.metadata.version("rldoctor"))
    for path in sys.argv[1:]:
        print(json.dumps(said(path)))
