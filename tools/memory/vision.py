"""Networks that see: feature maps by pixel or voxel, states of training, and the recipe taken where none is said."""

from typing import NamedTuple

from kb.constants.memory_constants import constants
from kb.constants.pictures import Recipe, pictures
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape
from tools.memory.term import Phase, Term
from tools.memory.workload import Workload


class Look(NamedTuple):
    """What a GPU sees at once."""

    width: int
    height: int
    depth: int
    batch: int

    @property
    def pixels(self) -> int:
        """Pixels, or voxels, of the whole batch."""
        return self.width * self.height * self.depth * self.batch


def vision_phases(work: Workload) -> tuple[Phase, ...]:
    """Weights, feature maps and the context; gradients and optimizer states to train.

    Training keeps bytes a pixel for the backward pass (counted with autograd, `kept_bytes`) and holds the recipe's
    overhead on top; a forward pass alone holds a share of them.
    """
    name = "training step" if work.training else "running"
    return (Phase(name, (*_states(work), _feature_maps(work), *_overhead(work), _context())),)


def look_of(work: Workload) -> Look:
    """Size and number of the pictures: as stated, else the family's recipe, one picture to run."""
    recipe = recipe_of(work.shape)
    width, height = work.width or work.height or recipe.width_px, work.height or work.width or recipe.height_px
    stated = bool(work.width or work.height)
    depth = work.frames or (recipe.depth_px if not stated or recipe.depth_px > 1 else 1)
    if not work.frames and stated and recipe.depth_px > 1:
        depth = min(width, height)  # a patch of a volume named by one side is a cube
    return Look(width, height, depth, work.images)


def recipe_of(shape: Shape) -> Recipe:
    """How the family is usually trained."""
    return pictures().recipe(shape.family)


def kept_bytes(shape: Shape) -> float:
    """Bytes a pixel that autograd keeps at 16 bits: counted, by the shape of a transformer, or by parameters.

    transformer: kept · layers · hidden_size / patch²; otherwise reference · (params / reference_params) ^ exponent.
    """
    numbers = pictures()
    counted = numbers.kept_bytes_per_pixel.get(shape.id or "")
    if counted is not None:
        return counted
    if shape.hidden and shape.heads > 1:
        return numbers.transformer.kept_bytes * shape.layers * shape.hidden / numbers.transformer.patch_px**2
    return float(numbers.reference_bytes * (shape.params / numbers.reference_params) ** numbers.exponent)


def assumptions(work: Workload, request: MemoryRequest) -> list[str]:
    """Size and batch taken where the request states none, and whose recipe that is."""
    recipe, look = recipe_of(work.shape), look_of(work)
    size = f"{look.width} × {look.height}" + (f" × {look.depth} voxels" if look.depth > 1 else " pixels")
    said = [f"{size}, {look.batch} a batch on each GPU."]
    if work.training and not (work.width and (request.images_per_batch or request.micro_batch_size)):
        said.append(f"What was not stated of size and batch is the default of {recipe.framework}.")
    if work.training and request.precision is None:
        how = "32 bits" if work.precision == "fp32" else "16-bit autocast"
        said.append(f"Computed in {how}, as that framework does; feature maps at 32 bits take twice those at 16.")
    return said


def _states(work: Workload) -> tuple[Term, ...]:
    params, source = work.shape.params, "zero-paper"
    if not work.training:
        bits = work.format.body_bits
        inputs = {"params": params, "bits": bits}
        return (Term("weights", "Weights", params * bits / 8, "params · bits / 8", inputs, constants().formats.source),)
    states = recipe_of(work.shape).optimizer_bytes
    held = {"params": params, "bytes": states}
    return (
        Term("weights", "Weights at 32 bits", params * 4.0, "params · 4", {"params": params}, source),
        Term("gradients", "Gradients", params * 4.0, "params · 4", {"params": params}, source),
        Term("optimizer", "Optimizer states", float(params * states), "params · bytes", held, source),
    )


def _feature_maps(work: Workload) -> Term:
    """pixels · bytes a pixel, twice that at 32 bits; a forward pass holds a share."""
    numbers, look, each = pictures(), look_of(work), kept_bytes(work.shape)
    wide = work.precision == "fp32" if work.training else work.format.body_bits > 16
    each *= numbers.wide_ratio if wide else 1.0
    each *= 1.0 if work.training else numbers.forward_ratio
    inputs = {"pixels": look.pixels, "bytes_per_pixel": round(each, 1)}
    formula = "pixels · bytes_per_pixel"
    return Term("activations", "Feature maps", look.pixels * each, formula, inputs, numbers.counted_source)


def _overhead(work: Workload) -> tuple[Term, ...]:
    if not work.training:
        return ()
    recipe, maps = recipe_of(work.shape), _feature_maps(work).bytes
    inputs = {"ratio": recipe.overhead_ratio, "feature_maps": round(maps)}
    label, formula = "Gradients of feature maps, loss, workspaces", "ratio · feature_maps"
    return (Term("buffers", label, recipe.overhead_ratio * maps, formula, inputs, recipe.source),)


def _context() -> Term:
    size = constants().encoder.context_bytes
    return Term("framework", "CUDA context", size, "context", {"context": size}, constants().encoder.source)
