"""PSNR and SSIM against slow, literal implementations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from lookaway.observers.fidelity import PSNR_CAP_DB, psnr, ssim

RNG = np.random.default_rng(3)
A = RNG.integers(0, 255, (60, 80, 3), np.uint8)
B = np.clip(A + RNG.normal(0, 12, A.shape), 0, 255).astype(np.uint8)


def test_psnr_is_its_definition() -> None:
    error = np.mean((A.astype(float) - B.astype(float)) ** 2)
    assert psnr(A, B) == pytest.approx(10 * np.log10(255**2 / error), abs=1e-9)
    assert psnr(A, A) == PSNR_CAP_DB


def literal_ssim(a: np.ndarray, b: np.ndarray) -> float:
    """Wang et al. 2004: Gaussian window of 11 pixels and sigma 1.5, window inside the frame."""

    def blur(x: np.ndarray) -> np.ndarray:
        return gaussian_filter(x, 1.5, truncate=5 / 1.5)

    import cv2

    x, y = (cv2.cvtColor(i, cv2.COLOR_RGB2GRAY).astype(float) for i in (a, b))
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    mx, my = blur(x), blur(y)
    vx, vy, vxy = blur(x * x) - mx**2, blur(y * y) - my**2, blur(x * y) - mx * my
    score = (2 * mx * my + c1) * (2 * vxy + c2) / ((mx**2 + my**2 + c1) * (vx + vy + c2))
    return float(score[5:-5, 5:-5].mean())


def test_ssim_is_its_definition() -> None:
    assert ssim(A, B) == pytest.approx(literal_ssim(A, B), abs=1e-4)
    assert ssim(A, A) == pytest.approx(1.0, abs=1e-6)


def test_worse_pictures_score_lower() -> None:
    worse = np.clip(A + RNG.normal(0, 40, A.shape), 0, 255).astype(np.uint8)
    assert psnr(A, worse) < psnr(A, B)
    assert ssim(A, worse) < ssim(A, B)
