"""The page in a real browser, opened from disk."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

PROBE = """
<script>
addEventListener("load", async () => {
  const videos = [...document.querySelectorAll("video")];
  await Promise.all(videos.map(v => v.readyState >= 2 ? 0 : new Promise(r => { v.onloadeddata = r; v.onerror = r; })));
  document.querySelector("[data-play]").click();
  const wide = document.documentElement.scrollWidth <= innerWidth;
  document.title = ["videos", videos.filter(v => v.videoWidth === 320).length, "wide", wide,
                    "button", document.querySelector("[data-play]").textContent].join(" ");
});
</script>
"""


@pytest.mark.browser
def test_the_report_opens_from_disk_and_its_clips_play(chromium: str, demo_run: Path, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_text((demo_run / "report.html").read_text().replace("</html>", PROBE + "</html>"))
    flags = [
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
        *("--disable-background-networking", "--disable-component-update", "--virtual-time-budget=8000"),
        *("--window-size=1240,1000", "--dump-dom"),
    ]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run([chromium, *flags, profile, page.as_uri()], capture_output=True, text=True, timeout=120)
    title = done.stdout.split("<title>")[1].split("</title>")[0]
    assert title == "videos 10 wide true button pause"
