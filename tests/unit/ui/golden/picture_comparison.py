"""Comparison of pictures by structure: the mean colour of small blocks, which the edges of letters hardly change."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

BLOCK = 8
TOLERANCE = 28.0
MOST_DIFFERENT = 0.02
SIZE_TOLERANCE = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two pictures are apart.

    Args:
        share: Blocks that differ, of all.
        worst: The largest difference of a block, of 255.
        sizes: Whether the sizes agree.
    """

    share: float
    worst: float
    sizes: bool

    @property
    def is_small(self) -> bool:
        """Whether other machines may differ as much."""
        return self.sizes and self.share <= MOST_DIFFERENT


def difference(first: QImage, second: QImage) -> Difference:
    """Compare two pictures; a few pixels more or less at the right and bottom do not count."""
    one, other = _pixels(first), _pixels(second)
    apart = max(abs(one.shape[axis] - other.shape[axis]) for axis in (0, 1))
    height, width = (min(one.shape[axis], other.shape[axis]) // BLOCK * BLOCK for axis in (0, 1))
    gaps = np.abs(_blocks(one[:height, :width]) - _blocks(other[:height, :width])).max(axis=2)
    return Difference(float((gaps > TOLERANCE).mean()), float(gaps.max()), apart <= SIZE_TOLERANCE)


def _pixels(image: QImage) -> NDArray[np.float32]:
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width() * 3].reshape(plain.height(), plain.width(), 3).astype(np.float32)


def _blocks(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    height, width, _ = pixels.shape
    cut = pixels.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK, 3)
    means: NDArray[np.float32] = cut.mean(axis=(1, 3))
    return means
