"""TEMPORARY"""


def role(options, home):
    return "read" if options.llm_role == "read" else "drive"
