"""Image data sets by name."""

from uqalign.registry import Registry
from uqalign.superiority.images import ImageSet

REGISTRY: Registry[ImageSet] = Registry(
    what="image set",
    package="uqalign.superiority.sets",
    attribute="IMAGE_SETS",
    group="uqalign.image_sets",
    kind=ImageSet,
)
