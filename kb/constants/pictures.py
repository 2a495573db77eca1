"""What networks that see keep of a picture to learn from it, and how they are usually trained."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from kb.base import Frozen
from kb.snapshot import load_yaml

_FILE = Path(__file__).parents[1] / "facts" / "pictures.yaml"


class Recipe(Frozen):
    """How a family of networks is usually trained, when nobody says."""

    width_px: int
    height_px: int
    depth_px: int = 1
    """Slices of a volume."""
    batch: int
    """Pictures a GPU takes at once."""
    overhead_ratio: float
    """Held at the peak for each byte kept: gradients of feature maps, the loss, kernels' workspaces, the allocator."""
    optimizer_bytes: int = 8
    """Optimizer states and averaged weights, a parameter."""
    precision: Literal["bf16", "fp32"] = "bf16"
    """What the framework trains in unless told otherwise."""
    framework: str
    """Whose default it is, in words."""
    source: str


class Transformer(Frozen):
    """Vision transformers whose layers and width are known."""

    kept_bytes: float
    """A token, layer and unit of width, at 16 bits with fused attention."""
    patch_px: int


class Pictures(Frozen):
    """Everything in `facts/pictures.yaml`."""

    counted_source: str
    kept_bytes_per_pixel: dict[str, float]
    """Model → bytes that autograd keeps for a pixel (or voxel) of the input, under 16-bit autocast."""
    reference_params: int
    reference_bytes: float
    exponent: float
    """For networks that nobody counted: bytes grow with parameters to this power."""
    forward_ratio: float
    """Alive at once in a forward pass without gradients, as a share of what is kept."""
    wide_ratio: float
    """The same network at 32 bits against 16."""
    transformer: Transformer
    recipes: dict[str, Recipe]
    by_family: dict[str, str]
    """Start of a family's name → its recipe; the longest match counts."""
    usual: str

    def recipe(self, family: str) -> Recipe:
        """The recipe of a family; that of image classification where none is known."""
        fitting = [start for start in self.by_family if family.lower().startswith(start.lower())]
        return self.recipes[self.by_family[max(fitting, key=len)] if fitting else self.usual]


@lru_cache(maxsize=1)
def pictures() -> Pictures:
    """The constants, loaded on first use."""
    return Pictures.model_validate(load_yaml(_FILE))
