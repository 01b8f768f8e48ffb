"use strict";

const part = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const CHOICES = {
  left: {key: "a", text: "A"}, right: {key: "b", text: "B"}, tie: {key: "t", text: "no difference"},
  yes: {key: "y", text: "yes"}, no: {key: "n", text: "no"}, not_judgeable: {key: "c", text: "cannot be judged"},
  accept: {key: "a", text: "accept"}, edit: {key: "e", text: "edit"}, reject: {key: "r", text: "reject"},
  frame: {key: "Enter", text: "this frame"}, never: {key: "x", text: "there is none"},
};
let study, steps = [], at = 0, players = [], current = 0, judgeable = false, offered = [], busy = false, remarking = null;
const answers = new Map(), fetched = new Map();

const named = (number, axis) => `${number} ${axis}`;
const drawn = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");

// One clip on the screen. `shown` is what the browser says it has put there, never what it was asked for.
class Player {
  constructor(place, clip, phases, name) {
    Object.assign(this, {clip, shown: -1, wanted: null, seen: new Set(), watched: false});
    this.figure = document.createElement("figure");
    this.video = this.figure.appendChild(document.createElement("video"));
    this.video.muted = true; this.video.playsInline = true; this.video.preload = "auto"; this.video.disablePictureInPicture = true;
    this.figure.appendChild(this.strip(phases));
    const caption = this.figure.appendChild(document.createElement("figcaption"));
    caption.appendChild(document.createElement("b")).textContent = name;
    this.label = caption.appendChild(document.createElement("span"));
    this.video.addEventListener("ended", () => { this.watched = true; this.seek(clip.frames - 1); offer(); });
    this.video.addEventListener("error", () => trouble(new Error("this clip cannot be played in this browser")));
    this.video.addEventListener("pointerdown", () => choose(place));
    this.watch();
  }

  strip(phases) {
    const strip = document.createElement("div"), {frames, fps} = this.clip;
    strip.className = "strip";
    const svg = strip.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("viewBox", `0 0 ${frames} 1`);
    svg.setAttribute("preserveAspectRatio", "none");
    const rect = (kind, x, width) => {
      const made = svg.appendChild(document.createElementNS(SVG, "rect"));
      made.setAttribute("class", kind); made.setAttribute("height", 1);
      made.setAttribute("x", x); made.setAttribute("width", width);
      return made;
    };
    for (const {phase, start_s, end_s} of phases)
      if (["visible", "hidden", "returned"].includes(phase)) rect(phase, start_s * fps, (end_s - start_s) * fps);
    this.mark = rect("at", 0, Math.max(1, frames / 100));
    return strip;
  }

  watch() {
    this.video.requestVideoFrameCallback((_, {mediaTime}) => {
      this.shown = Math.round(mediaTime * this.clip.fps);
      this.seen.add(this.shown);
      if (this.shown === this.wanted) this.wanted = null;
      if (this.seen.size === this.clip.frames && !this.watched) { this.watched = true; offer(); }
      this.draw();
      this.watch();
    });
  }

  draw() {
    this.label.textContent = this.shown < 0 ? "loading" : `frame ${this.shown} of ${this.clip.frames - 1}`;
    this.mark.setAttribute("x", Math.max(0, this.shown));
  }

  // The middle of a frame's time is nobody else's.
  seek(frame) {
    const to = Math.min(this.clip.frames - 1, Math.max(0, frame));
    this.video.pause();
    if (to === this.shown && this.wanted === null) return;
    this.wanted = to;
    this.video.currentTime = (to + 0.5) / this.clip.fps;
  }

  step(by) { this.seek((this.wanted ?? this.shown) + by); }
  get playing() { return !this.video.paused && !this.video.ended; }
  get last() { return (this.wanted ?? this.shown) >= this.clip.frames - 1; }

  play() {
    this.wanted = null;
    if (this.last) this.video.currentTime = 0;
    return this.video.play();
  }

  stop() { if (this.playing) { this.video.pause(); this.seek(this.shown); } }
}

function clipOf(number, place) {
  const name = named(number, place);
  if (!fetched.has(name)) {
    fetched.set(name, backend.clip(number, place).then(blob => URL.createObjectURL(blob)));
    fetched.get(name).catch(() => fetched.delete(name));
  }
  return fetched.get(name);
}

function forgetClips(keep) {
  for (const [name, url] of fetched) {
    if (keep.includes(Number(name.split(" ")[0]))) continue;
    fetched.delete(name);
    url.then(URL.revokeObjectURL, () => {});
  }
}

async function showClips(number) {
  const showing = study.showings[number];
  players = showing.clips.map((clip, place) => new Player(place, clip, showing.phases, showing.clips.length > 1 ? "AB"[place] : ""));
  part("clips").replaceChildren(...players.map(player => player.figure));
  part("side").hidden = players.length < 2;
  part("legend").hidden = !showing.phases.length;
  choose(0);
  const mine = players;
  const urls = await Promise.all(showing.clips.map((_, place) => clipOf(number, place)));
  if (mine !== players) return;
  urls.forEach((url, place) => { players[place].video.src = url; });
  if (study.kind !== "keyframes") play();
  forgetClips([number, number + 1]);
  if (study.showings[number + 1]) study.showings[number + 1].clips.forEach((_, place) => { clipOf(number + 1, place).catch(() => {}); });
}

function choose(place) {
  current = place;
  players.forEach((player, index) => player.figure.classList.toggle("current", index === place && players.length > 1));
}

function play() {
  if (players.some(player => player.playing)) players.forEach(player => player.stop());
  else players.forEach(player => player.play().catch(() => {}));
}

function show() {
  const step = steps[at];
  part("work").hidden = !step;
  part("done").hidden = Boolean(step);
  part("bar").value = steps.length ? answers.size / steps.length : 1;
  part("count").textContent = `${answers.size} of ${steps.length} answered`;
  part("undo").disabled = answers.size === 0;
  part("undo-last").disabled = answers.size === 0;
  if (!step) { players.forEach(player => player.stop()); return; }
  const showing = study.showings[step.number];
  part("prompt").textContent = showing.prompt;
  part("prompt").hidden = !showing.prompt;
  remark(null);
  judgeable = false;
  if (step.number !== show.number) { show.number = step.number; showClips(step.number).catch(trouble); }
  offer();
}

function offer() {
  const step = steps[at];
  if (!step) return;
  const showing = study.showings[step.number], first = step.criterion.judgeable && !judgeable;
  const ready = study.kind === "keyframes" || players.every(player => player.watched);
  part("question").textContent = showing.question ? `“${showing.question.text}”` : first ? step.criterion.judgeable : step.criterion.text;
  part("detail").textContent = !ready ? "Watch to the end first."
    : showing.question ? `Expected answer: ${showing.question.expected}. ${step.criterion.text}`
    : showing.subject && players.length < 2 ? `The subject: ${showing.subject}` : showing.subject ? `The subject in both: ${showing.subject}` : "";
  const words = first ? ["yes", "no"] : study.words.filter(word => word !== "not_judgeable" || !step.criterion.judgeable);
  offered = words.map(word => ({...CHOICES[word], word, first}));
  part("choices").replaceChildren(...offered.map(choice => {
    const made = document.createElement("button"), letter = document.createElement("kbd");
    made.type = "button";
    made.dataset.word = choice.word;
    letter.textContent = choice.key.length === 1 ? choice.key.toUpperCase() : choice.key;
    made.append(letter, choice.text);
    made.disabled = !ready || busy;
    made.addEventListener("click", () => take(choice));
    return made;
  }));
}

function take(choice) {
  const ready = study.kind === "keyframes" || players.every(player => player.watched);
  if (busy || !ready || !steps[at]) return;
  if (choice.first && choice.word === "yes") { judgeable = true; offer(); return; }
  const word = choice.first ? "not_judgeable" : choice.word;
  if (word === "edit" || word === "reject") { remark(word); return; }
  if (word === "frame" && (players[0].wanted !== null || players[0].playing || players[0].shown < 0)) {
    trouble(new Error("stop at a frame first"));
    return;
  }
  send({word, ...(word === "frame" ? {frame: players[0].shown} : {})});
}

async function send(said) {
  const step = steps[at];
  busy = true;
  offer();
  try {
    const seen = players.map(player => player.seen.size);
    await backend.keep({number: step.number, axis: step.criterion.axis, submission: drawn(), seen, ...said});
    kept(step, said.word);
  } catch (error) {
    if (error.kept) kept(step, said.word);
    trouble(error);
  }
  busy = false;
  show();
}

function kept(step, word) {
  answers.set(named(step.number, step.criterion.axis), word);
  part("trouble").textContent = "";
  at = openStep();
}

async function undo() {
  if (busy || !answers.size) return;
  busy = true;
  try {
    const {undone} = await backend.undo(drawn());
    if (undone) {
      answers.delete(named(...undone));
      at = steps.findIndex(step => step.number === undone[0] && step.criterion.axis === undone[1]);
    }
  } catch (error) {
    trouble(error);
  }
  busy = false;
  show();
}

function openStep() {
  const found = steps.findIndex(step => !answers.has(named(step.number, step.criterion.axis)));
  return found < 0 ? steps.length : found;
}

function remark(word) {
  remarking = word;
  part("remark").hidden = word === null;
  part("choices").hidden = word !== null;
  part("text-label").hidden = word !== "edit";
  part("text").value = word === "edit" ? study.showings[steps[at].number].question.text : "";
  part("reason").value = "";
  if (word !== null) part(word === "edit" ? "text" : "reason").focus();
}

part("remark").addEventListener("submit", event => {
  event.preventDefault();
  const text = part("text").value.replace(/\s+/g, " ").trim(), reason = part("reason").value.trim();
  if (!reason || (remarking === "edit" && !text)) { trouble(new Error("say why, and in which words")); return; }
  send({word: remarking, reason, ...(remarking === "edit" ? {text} : {})});
});
part("cancel").addEventListener("click", () => remark(null));

function trouble(error) {
  part("trouble").textContent = error instanceof TypeError ? "the study does not answer; was it stopped?" : error.message;
}

document.addEventListener("unreached", () => { part("trouble").textContent = "no connection; your answer is sent again until it is kept"; });
document.addEventListener("reached", () => { part("trouble").textContent = ""; });

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest("textarea, input");
  if (event.key === "Escape" && remarking) { remark(null); event.preventDefault(); return; }
  if (typing) {
    if (event.key === "Enter" && event.target.id === "text") { event.preventDefault(); part("reason").focus(); }
    return;
  }
  if ([" ", "Enter"].includes(event.key) && event.target.closest("button, a, summary")) return;
  const by = {ArrowLeft: -1, ArrowRight: 1}[event.key], letter = event.key.toLowerCase();
  const choice = offered.find(each => each.key.toLowerCase() === letter);
  if (letter === "u") undo();
  else if (part("work").hidden) return;
  else if (by) players[current].step(event.shiftKey ? 10 * by : by);
  else if (event.key === "Home") players[current].seek(0);
  else if (event.key === "End") players[current].seek(players[current].clip.frames - 1);
  else if (event.key === " ") play();
  else if (letter === "s" && players.length > 1) choose(1 - current);
  else if (choice && !event.repeat && !part("choices").hidden) take(choice);
  else return;
  event.preventDefault();
});

part("play").addEventListener("click", play);
part("back").addEventListener("click", () => players[current].step(-1));
part("forward").addEventListener("click", () => players[current].step(1));
part("side").addEventListener("click", () => choose(1 - current));
part("undo").addEventListener("click", undo);
part("undo-last").addEventListener("click", undo);
part("elsewhere").hidden = !backend.elsewhere;
part("elsewhere").addEventListener("click", async () => {
  try { part("link").textContent = `Open this once, within the hour: ${await backend.elsewhere()}`; } catch (error) { trouble(error); }
});
part("leave").addEventListener("click", async () => {
  if (!confirm("Delete everything you said in this study? This cannot be undone.")) return;
  try {
    await backend.leave();
    part("work").hidden = true;
    part("done").hidden = false;
    part("done-text").textContent = "Everything you said is deleted. This page may be closed.";
    part("undo-last").hidden = true;
    part("export").hidden = true;
  } catch (error) { trouble(error); }
});
for (const id of ["export", "export-now"]) {
  part(id).hidden = !backend.exported;
  part(id).addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([backend.exported()], {type: "application/json"}));
    link.download = backend.name;
    link.click();
  });
}
if (backend.exported) part("done-text").textContent = "Save your answers as a file, and send it to whoever asked you.";

async function begin() {
  study = await backend.state();
  document.title = study.title;
  part("title").textContent = study.title;
  part("instructions").textContent = study.instructions;
  steps = study.showings.flatMap((showing, number) => showing.criteria.map(criterion => ({number, criterion})));
  for (const answer of study.answers) answers.set(named(answer.number, answer.axis), answer.word);
  at = openStep();
  show();
}

function agreed() {
  part("consent").hidden = true;
  begin().catch(error => { part("work").hidden = false; trouble(error); });
}

if (backend.consent && !backend.consented()) {
  part("consent").hidden = false;
  part("consent-title").textContent = "Before you begin";
  part("consent-text").textContent = backend.consent;
  part("agree").focus();
  part("agree").addEventListener("click", () => { backend.agree(); agreed(); });
} else agreed();
