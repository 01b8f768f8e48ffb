"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const made = (tag, facts = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(facts)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };

  // ---------------------------------------------------------------- tables: sort

  const worth = (cell) => {
    const text = cell?.dataset.v ?? cell?.textContent.trim() ?? "";
    const number = Number.parseFloat(text);
    return text === "" || text === "–" ? null : /^[-+<]?[\d.]/.test(text) && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  const compare = (a, b) => {
    if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
    if (typeof a === "number" && typeof b === "number") return a - b;
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  };
  const sort = (head, place) => {
    const table = head.closest("table"), down = head.getAttribute("aria-sort") === "ascending";
    all("th[aria-sort]", table).forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    for (const body of table.tBodies) {
      const groups = [];
      for (const row of body.rows) {
        if (row.classList.contains("why") && groups.length) groups.at(-1).push(row);
        else groups.push([row]);
      }
      const fixed = groups.filter(([row]) => row.classList.contains("group"));
      const free = groups.filter(([row]) => !row.classList.contains("group"));
      const value = ([row]) => worth(row.cells[place]);
      free.sort((a, b) => {
        const [one, other] = [value(a), value(b)];
        const order = compare(one, other);
        return down && one !== null && other !== null ? -order : order;
      });
      body.append(...[...fixed, ...free].flat());
    }
  };
  for (const table of all("table.sortable")) {
    const row = table.tHead?.rows[table.tHead.rows.length - 1];
    for (const head of row ? [...row.cells].filter((cell) => cell.tagName === "TH") : []) {
      const button = made("button", { type: "button", class: "sort" });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(head, head.cellIndex));
    }
  }

  // ---------------------------------------------------------------- tabs

  for (const tabs of all("[role=tablist]")) {
    const buttons = all("[role=tab]", tabs);
    const show = (chosen, focus) => {
      for (const button of buttons) {
        button.setAttribute("aria-selected", button === chosen);
        button.tabIndex = button === chosen ? 0 : -1;
        document.getElementById(button.getAttribute("aria-controls")).hidden = button !== chosen;
      }
      if (focus) chosen.focus();
    };
    tabs.hidden = false;
    buttons.forEach((button, n) => {
      button.addEventListener("click", () => show(button));
      button.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) show(buttons[(n + step + buttons.length) % buttons.length], true);
      });
    });
    if (buttons.length) show(buttons[0]);
  }

  // ---------------------------------------------------------------- clips: play together

  class Clip {
    constructor(element) {
      this.element = element;
      this.screen = element.querySelector(".screen");
      this.video = element.querySelector("video");
      this.book = element.querySelector("img.book");
      this.head = element.querySelector(".phases .head");
      this.lasts = Number(element.dataset.lasts) || 0;
      this.seconds = this.book ? this.book.dataset.seconds.split(" ").map(Number) : [];
      this.moves = false;
      if (this.video) {
        this.video.addEventListener("error", () => this.flip());
        this.video.addEventListener("loadeddata", () => this.ready());
        this.video.addEventListener("loadedmetadata", () => { this.lasts ||= this.video.duration; });
      }
      if (this.book) { this.screen.style.backgroundImage = `url("${this.book.src}")`; this.flip(); }
      if (this.video?.readyState >= 2) this.ready(); // it was quicker than this program
    }
    ready() {
      this.moves = true;
      this.lasts ||= this.video.duration;
      this.screen.classList.remove("flip");
      this.at(this.now ?? 0);
    }
    flip() {
      this.moves = false;
      if (this.book) this.screen.classList.add("flip");
      this.at(this.now ?? 0);
    }
    load() {
      if (this.video && this.video.preload !== "auto") {
        const begun = this.video.preload !== "none";
        this.video.preload = "auto";
        if (!begun) this.video.load();
      }
    }
    at(second, playing = false) {
      this.now = Math.min(second, this.lasts || second);
      if (this.head && this.lasts) this.head.style.left = `${(100 * this.now) / this.lasts}%`;
      if (this.moves) {
        if (Math.abs(this.video.currentTime - this.now) > (playing ? 0.15 : 0.01)) this.video.currentTime = this.now;
        if (playing && this.video.paused && this.now < this.lasts) this.video.play().catch(() => this.flip());
        if (!playing && !this.video.paused) this.video.pause();
      } else if (this.seconds.length) {
        const frame = this.seconds.findLastIndex((one) => one <= this.now + 0.001);
        this.screen.style.backgroundPositionX = `${(100 * Math.max(0, frame)) / Math.max(1, this.seconds.length - 1)}%`;
      }
    }
    mark(spans) {
      all(".read", this.element).forEach((old) => old.remove());
      const bar = this.element.querySelector(".phases");
      if (!bar || !this.lasts) return;
      for (const [start, end] of spans) {
        const mark = made("i", { class: "read" });
        mark.style.left = `${(100 * start) / this.lasts}%`;
        mark.style.width = `${(100 * (end - start)) / this.lasts}%`;
        bar.append(mark);
      }
    }
  }

  class Player {
    constructor(section) {
      this.button = section.querySelector("[data-play]");
      this.slider = section.querySelector("input[type=range]");
      this.label = section.querySelector("[data-second]");
      this.clips = all(".clip", section).filter((one) => one.querySelector(".screen")).map((one) => new Clip(one));
      this.lasts = Math.max(0.1, ...this.clips.map((clip) => clip.lasts));
      this.slider.max = this.lasts;
      this.second = 0;
      this.playing = false;
      this.button.addEventListener("click", () => (this.playing ? this.pause() : this.play()));
      this.slider.addEventListener("input", () => { this.pause(); this.seek(Number(this.slider.value)); });
      for (const clip of this.clips) {
        clip.element.querySelector(".phases")?.addEventListener("click", (event) => {
          const box = event.currentTarget.getBoundingClientRect();
          this.pause();
          this.seek(((event.clientX - box.left) / box.width) * clip.lasts);
        });
      }
    }
    seek(second) {
      this.second = Math.max(0, Math.min(second, this.lasts));
      this.slider.value = this.second;
      this.label.textContent = `${this.second.toFixed(2)} s`;
      for (const clip of this.clips) { clip.load(); clip.at(this.second, this.playing); }
    }
    play() {
      this.playing = true;
      this.button.textContent = "pause";
      if (this.second >= this.lasts - 0.05) this.second = 0;
      let before = performance.now();
      const tick = (now) => {
        if (!this.playing) return;
        this.second += (now - before) / 1000;
        before = now;
        if (this.second >= this.lasts) this.second = 0;
        this.seek(this.second);
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }
    pause() {
      this.playing = false;
      this.button.textContent = "play";
      this.seek(this.second);
    }
  }

  const players = new Map();
  const playerOf = (element) => {
    const section = element.closest(".task");
    if (section && !players.has(section)) players.set(section, new Player(section));
    return players.get(section);
  };
  const nearing = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) { playerOf(one.target); nearing.unobserve(one.target); }
  }, { rootMargin: "600px" });
  all(".task").forEach((section) => nearing.observe(section));

  const spansOf = (link) => (link.dataset.spans ? link.dataset.spans.split(" ").map((span) => span.split("-").map(Number)) : []);
  const showFrames = (link) => {
    const player = playerOf(link), clip = player?.clips.find((one) => one.element.contains(link));
    if (!clip) return;
    const spans = spansOf(link);
    player.pause();
    player.seek(spans.length ? spans[0][0] : 0);
    clip.mark(spans.length ? spans : [[0, clip.lasts]]);
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-spans]");
    if (!link) return;
    event.preventDefault();
    showFrames(link);
    link.closest(".clip").querySelector(".screen")?.scrollIntoView({ block: "nearest" });
  });

  // ---------------------------------------------------------------- cases: filter

  const filters = document.getElementById("case-filters");
  const filter = () => {
    const words = filters.querySelector("input[type=search]").value.toLowerCase().split(/\s+/).filter(Boolean);
    const systems = new Set(all("input[type=checkbox]", filters).filter((box) => box.checked).map((box) => box.value));
    const outcome = filters.querySelector("select").value;
    const fits = (element) =>
      (element.dataset.system === undefined || systems.has(element.dataset.system)) &&
      (!outcome || (element.dataset.end ?? "").split("|").includes(outcome)) &&
      words.every((word) => (element.dataset.words ?? "").toLowerCase().includes(word));
    const rows = all("#case-table tbody tr");
    rows.forEach((row) => { row.hidden = !fits(row); });
    for (const section of all(".task")) {
      const clips = all(".clip[data-system]", section);
      clips.forEach((clip) => { clip.hidden = !fits(clip); });
      section.hidden = clips.length > 0 && clips.every((clip) => clip.hidden);
    }
    document.getElementById("case-count").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} clips`;
  };
  if (filters) {
    filters.addEventListener("input", filter);
    filters.addEventListener("submit", (event) => event.preventDefault());
    addEventListener("keydown", (event) => {
      if (event.key === "/" && !event.target.closest?.("input, select, textarea, dialog")) {
        event.preventDefault();
        filters.querySelector("input[type=search]").focus();
      }
    });
  }

  // ---------------------------------------------------------------- evidence: from a number to its clips

  const dialog = document.getElementById("evidence");
  let data;
  const known = () => (data ??= JSON.parse(document.getElementById("evidence-data").textContent));
  const link = (place, target) => {
    const [name, , , page] = known().clips[place];
    return made("a", { href: `${encodeURI(page)}#${encodeURIComponent(target ?? name).replaceAll("%2F", "/")}` }, name);
  };
  const shown = (value, reading) => (value === null ? "–" : value.toFixed(reading.digits));
  const badness = (value, reading) => {
    if (value === null) return Infinity;
    return reading.better === "higher" ? value : reading.better === "lower" ? -value : reading.better === "one" ? -Math.abs(value - 1) : value;
  };
  const fill = (title, about, heads, rows) => {
    dialog.querySelector("h2").textContent = title;
    const clips = known().clips.length, all = clips + known().left_out;
    dialog.querySelector("p").textContent = known().left_out ? `${about} The report shows ${clips} of ${all} clips, and the number counts all of them.` : about;
    const table = dialog.querySelector("table");
    table.tHead.replaceChildren(made("tr", {}, ...heads.map((head) => made("th", { scope: "col" }, head))));
    table.tBodies[0].replaceChildren(...rows.map((cells) => made("tr", {}, ...cells.map((cell) => made("td", {}, cell)))));
  };
  const ofReading = (number, system, slice) => {
    const reading = known().readings[number], tasks = slice && known().slices[slice];
    const mine = (known().scores[number] ?? []).filter(([place]) => {
      const [, s, t] = known().clips[place];
      return (system === undefined || s === system) && (!tasks || tasks.includes(t));
    });
    mine.sort((a, b) => badness(a[1], reading) - badness(b[1], reading));
    const ok = mine.filter((row) => row[1] !== null).length;
    const who = system === undefined ? "all systems" : known().systems[system];
    fill(
      `${reading.title}: ${who}`,
      `${ok} of ${mine.length} scores have a number (${reading.unit || "no unit"}${slice ? `, ${slice}` : ""}), the worst first. Follow a clip to the frames that its score was read from.`,
      ["clip", "score", "why there is none"],
      mine.map(([place, value, why, round]) => [
        link(place, `${known().clips[place][0]}!${number}${round ? `.${round}` : ""}`),
        shown(value, reading) + (round ? ` (look-away ${round})` : ""),
        why < 0 ? "" : known().reasons[why],
      ]),
    );
  };
  const ofLedger = (number, step, system, within) => {
    const ledger = known().ledgers[number], name = ledger?.steps[step];
    const mine = known().clips.map((clip, place) => [clip, place]).filter(([clip]) =>
      (system === undefined || clip[1] === system) && clip[4][number] && (!within || within(clip)));
    const got = ([clip]) => step === undefined || clip[4][number][0] === null || clip[4][number][0] > step;
    const order = (one) => (got(one) ? 2 : one[0][4][number][0] === step ? 0 : 1);
    mine.sort((a, b) => order(a) - order(b));
    const who = system === undefined ? "all systems" : known().systems[system];
    fill(
      name ? `“${name}”: ${who}` : who,
      name ? `${mine.filter(got).length} of ${mine.length} clips reached this step. Those that stopped here come first.` : `${mine.length} clips.`,
      ["clip", "how far it got"],
      mine.map(([clip, place]) => [link(place), clip[4][number][2]]),
    );
  };
  const ofSystem = (system) => {
    const mine = known().clips.map((clip, place) => [clip, place]).filter(([clip]) => clip[1] === system);
    fill(known().systems[system], `${mine.length} clips.`, ["clip", "how far it got"],
      mine.map(([clip, place]) => [link(place), Object.values(clip[4]).map((end) => end[2]).join("; ")]));
  };
  const openEvidence = (parts) => {
    const place = (letter) => { const part = parts.find((one) => one.startsWith(letter) && /^.\d/.test(one)); return part?.slice(1); };
    const system = place("s") === undefined ? undefined : Number(place("s"));
    const slice = parts.find((one) => one.includes("="));
    if (place("r") !== undefined) ofReading(Number(place("r")), system, slice);
    else if (place("l") !== undefined) {
      const [number, step] = place("l").split(".").map(Number);
      ofLedger(number, step, system);
    } else if (place("d") !== undefined) {
      const [number, kind, low, high] = place("d").split(";");
      const doses = known().doses[kind], inside = (clip) => doses[clip[2]] !== null && doses[clip[2]] >= low - 0.01 && doses[clip[2]] <= Number(high) + 0.01;
      ofLedger(Number(number), known().ledgers[number].steps.length - 1, system, inside);
    } else if (system !== undefined) ofSystem(system);
    if (!dialog.open) dialog.showModal();
  };
  if (dialog) {
    dialog.querySelector(".close").addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      if (location.hash.startsWith("#evidence/")) history.replaceState(null, "", location.pathname + location.search);
    });
  }

  // ---------------------------------------------------------------- addresses

  const follow = () => {
    const name = decodeURIComponent(location.hash.slice(1));
    if (name.startsWith("evidence/") && dialog) { openEvidence(name.split("/").slice(1)); return; }
    if (dialog?.open) dialog.close();
    const target = name && document.getElementById(name);
    if (!target) return;
    for (let around = target; around; around = around.parentElement) {
      if (around.tagName === "DETAILS") around.open = true;
      if (around.hidden) around.hidden = false;
    }
    all(".here").forEach((one) => one.classList.remove("here"));
    if (target.matches(".clip, tr")) target.classList.add("here");
    const frames = target.matches("tr") ? target.querySelector("[data-spans]") : null;
    if (frames) { showFrames(frames); frames.focus({ preventScroll: true }); }
    const goal = frames ? target.closest(".clip") : target;
    const go = () => goal.scrollIntoView({ block: "start" });
    go();
    requestAnimationFrame(() => requestAnimationFrame(go)); // once more: what was not drawn before now has its true height
  };
  addEventListener("hashchange", follow);
  follow();
})();
