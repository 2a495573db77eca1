"""Secrets in what people paste, taken out before anything of it is told again."""

import re

HIDDEN = "[hidden]"
_TOKENS = re.compile(
    r"\b(?:hf_(?=[A-Za-z0-9]{20})|sk-(?:proj-|ant-)?|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|AKIA|ASIA|AIza|nvapi-|r8_|dckr_pat_|npm_|pypi-)"
    r"[A-Za-z0-9_\-]{8,200}"
    r"|\beyJ[A-Za-z0-9_\-]{10,2000}\.[A-Za-z0-9_\-]{4,2000}(?:\.[A-Za-z0-9_\-]{4,2000})?"
)
"""Keys that say by their beginning what they are, and signed tokens."""
_NAMED = re.compile(
    r"(?P<name>(?:(?:api[_\-]?key|token(?!i[sz])|secret|passw(?:or)?d|credential|auth)[A-Za-z0-9_\-]{0,20}))"
    r"(?P<is>[\"']?\s{0,3}[=:]\s{0,3}[\"']?|\s{1,3})(?P<value>(?:Bearer\s)?[A-Za-z0-9_\-./+=]{8,400})",
    re.IGNORECASE,
)
_BEARER = re.compile(r"(?P<name>Bearer)\s{1,3}[A-Za-z0-9_\-./+=]{8,2000}", re.IGNORECASE)
_IN_URL = re.compile(r"(?P<scheme>\b[a-z][a-z0-9+.\-]{1,12}://)[^\s/:@]{1,100}:[^\s/@]{1,200}@", re.IGNORECASE)
_PRIVATE = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----.{0,8000}?(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)", re.DOTALL
)
_MAY_HOLD = (
    "://", "hf_", "sk-", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xox", "akia", "asia", "aiza", "nvapi-",
    "r8_",
    "dckr_pat_", "npm_", "pypi-", "eyj", "bearer", "apikey", "api_key", "api-key", "token", "secret", "passw",
    "credential", "auth",
)  # fmt: skip
"""Words without which a line holds no secret that is known."""
_SECRET_LIKE = re.compile(r"(?=[^\s]*\d)(?=[^\s]*[A-Za-z])[^\s]{12,}")


def masked(text: str) -> str:
    """The text without keys, passwords and tokens; counts of tokens and names of options stay."""
    return masked_line(_PRIVATE.sub(HIDDEN, text))


def without_private_keys(text: str) -> str:
    """The text as long as before, each character of a private key a dot: lines and places stay what they were."""
    if "-----BEGIN" not in text:
        return text
    return _PRIVATE.sub(lambda match: re.sub(r"[^\n]", "·", match[0]), text)


def masked_line(text: str) -> str:
    """The same of one line, in which no private key can lie."""
    text = _IN_URL.sub(lambda match: f"{match['scheme']}{HIDDEN}@", text)
    text = _TOKENS.sub(HIDDEN, text)
    text = _BEARER.sub(lambda match: f"{match['name']} {HIDDEN}", text)
    return _NAMED.sub(_named, text)


def secrets_in(text: str) -> tuple[str, ...]:
    """Words of this text, in lower case, beside which a secret may stand: lines without any need not be masked."""
    lowered = text.lower()
    return tuple(word for word in _MAY_HOLD if word in lowered)


def _named(match: re.Match[str]) -> str:
    """A value beside a name like `api_key` is hidden; beside a blank only where it looks like a key."""
    value = match["value"]
    assigned = match["is"].strip() != ""
    password = "passw" in match["name"].lower() or "secret" in match["name"].lower()
    if not assigned and not (password or _is_option(match)):
        return match[0]
    if value.isdigit() or value == HIDDEN or not (_SECRET_LIKE.fullmatch(value) or (assigned and password)):
        return match[0]
    return f"{match['name']}{match['is']}{HIDDEN}"


def _is_option(match: re.Match[str]) -> bool:
    """Whether the name ends a word such as `--hf-token`: in prose "tokens" are counted, and what follows is no key."""
    before = match.string[: match.start()]
    return (re.split(r"\s", before)[-1] + match["name"]).startswith("-")
