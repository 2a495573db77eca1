"""What a person wrote, as figures are read from it: logs with their figures behind an equals sign, "33ish", "120V"."""

import re

SETTING = re.compile(r"(?<=[A-Za-z_\])])=(?=[\"'\[(]{0,2}\d)")
"""Between the name of a field of a log, or of a setting, and its figure: "total_gpu_memory=23.58GiB"."""
QUOTED = re.compile(r"(?<== )[\"'\[(]{1,2}(?=\d)")
TAIL = re.compile(r"(?<=\d)(?=(?:ish|[VA])(?![\w-]))")
"""Before a tail that belongs to no name: about so many, volts, amperes."""


def opened(text: str) -> str:
    """`text` with blanks between its figures and what people and programs glue to them."""
    return TAIL.sub(" ", QUOTED.sub("", SETTING.sub(" = ", text)))
