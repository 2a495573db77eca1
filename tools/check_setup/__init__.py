"""Whether a set-up would run: rules over commands, configurations and manifests, and the corrected text."""

from tools.check_setup.check import check_setup
from tools.check_setup.request import SetupRequest
from tools.check_setup.result import Finding, SetupCheck

__all__ = ["Finding", "SetupCheck", "SetupRequest", "check_setup"]
