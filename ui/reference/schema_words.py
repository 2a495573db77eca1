"""The fields of a JSON schema in words: names, types, bounds, defaults, meanings."""

from collections.abc import Iterator
from typing import Any


def fields(schema: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Each field's name, type, default ("required" when there is none) and meaning."""
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        default = "required" if name in required else _default(field.get("default"))
        yield f"`{name}`", kind(field, schema.get("$defs", {})), default, field.get("description", "")


def _default(value: Any) -> str:
    return "" if value in (None, [], {}) else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def kind(field: dict[str, Any], definitions: dict[str, Any]) -> str:
    """The type of a field in words, with its bounds or its choices."""
    if "$ref" in field:
        name = field["$ref"].rsplit("/", 1)[-1]
        target = definitions.get(name, {})
        return kind(target, definitions) if "enum" in target else name
    if "anyOf" in field:
        shown = [kind(part, definitions) for part in field["anyOf"] if part.get("type") != "null"]
        return " or ".join(dict.fromkeys(shown))
    if "enum" in field:
        return " ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if field.get("type") == "array":
        return f"list of {kind(field.get('items', {}), definitions)}"
    return f"{field.get('type', 'any')}{_bounds(field)}"


def choices(field: dict[str, Any], definitions: dict[str, Any]) -> list[str]:
    """The values a field may take, where there are few; for completion in a shell."""
    if "$ref" in field:
        return choices(definitions.get(field["$ref"].rsplit("/", 1)[-1], {}), definitions)
    if "anyOf" in field:
        return [value for part in field["anyOf"] for value in choices(part, definitions)]
    if field.get("type") == "array":
        return choices(field.get("items", {}), definitions)
    if field.get("type") == "boolean":
        return ["true", "false"]
    return [str(value) for value in field.get("enum", [field["const"]] if "const" in field else [])]


def _bounds(field: dict[str, Any]) -> str:
    words = {
        "exclusiveMinimum": "> ", "minimum": "≥ ", "exclusiveMaximum": "< ", "maximum": "≤ ", "maxLength": "length ≤ "
    }  # fmt: skip
    found = [f"{sign}{field[name]:,.12g}" for name, sign in words.items() if name in field]
    return f", {', '.join(found)}" if found else ""
