"use strict";

const part = id => document.getElementById(id);
const stage = part("stage"), LEAST_PX = 6, STEP = 0.01;
let videos = [], at = 0, from = null, saving = Promise.resolve();

const clamp = share => Math.min(1, Math.max(0, share));

function show() {
  const video = videos[at];
  part("count").textContent = `Picture ${at + 1} of ${videos.length}:`;
  part("video").textContent = video.id;
  part("name").value = video.name;
  part("back").disabled = at === 0;
  part("frame").src = `frame/${at}`;
  draw(video.box);
}

function draw(box) {
  const video = videos[at];
  part("box").hidden = box === null;
  part("numbers").textContent = box === null ? "No box yet." : `--box ${box.map(share => share.toFixed(3)).join(",")}`;
  part("state").textContent = box !== null ? "(drawn)" : video.answered ? "(skipped)" : "";
  part("next").disabled = box === null || at === videos.length - 1;
  if (box === null) return;
  const [left, top, right, bottom] = box.map(share => 100 * share), style = part("box").style;
  style.left = `${left}%`; style.top = `${top}%`; style.width = `${right - left}%`; style.height = `${bottom - top}%`;
}

async function post(where, what) {
  const answer = await fetch(where, {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(what)});
  if (!answer.ok) throw new Error(await answer.text());
}

// One after the other, so that the last word is the one that is kept.
function save(index) {
  const {box, name} = videos[index];
  videos[index].answered = true;
  saving = saving.then(() => post("answer", {video: index, box, name})).then(() => { part("trouble").textContent = ""; });
  return saving.catch(trouble);
}

function trouble(error) {
  saving = Promise.resolve();
  part("trouble").textContent = error instanceof TypeError ? "lookaway does not answer any more: was it stopped?" : error.message;
}

function corner(event) {
  const picture = part("frame").getBoundingClientRect();
  return [clamp((event.clientX - picture.left) / picture.width), clamp((event.clientY - picture.top) / picture.height)];
}

function spanned(one, other) {
  return [Math.min(one[0], other[0]), Math.min(one[1], other[1]), Math.max(one[0], other[0]), Math.max(one[1], other[1])];
}

stage.addEventListener("pointerdown", event => {
  if (!event.isPrimary || event.button !== 0) return;
  stage.setPointerCapture(event.pointerId);
  from = corner(event);
});

stage.addEventListener("pointermove", event => {
  if (from !== null && event.isPrimary) draw(spanned(from, corner(event)));
});

stage.addEventListener("pointerup", event => {
  if (from === null || !event.isPrimary) return;
  const box = spanned(from, corner(event)), picture = part("frame").getBoundingClientRect();
  from = null;
  if ((box[2] - box[0]) * picture.width >= LEAST_PX && (box[3] - box[1]) * picture.height >= LEAST_PX) keep(box);
  else draw(videos[at].box);
});

stage.addEventListener("pointercancel", () => { from = null; draw(videos[at].box); });

function keep(box) {
  videos[at].box = box;
  draw(box);
  save(at);
}

const ARROWS = {ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP]};

stage.addEventListener("keydown", event => {
  const box = videos[at].box, by = ARROWS[event.key];
  if (event.key === "Enter" && box === null) keep([0.4, 0.3, 0.6, 0.7]);
  else if (by && box !== null) keep(event.shiftKey ? sized(box, by) : moved(box, by));
  else return;
  event.preventDefault();
});

function moved([left, top, right, bottom], [across, down]) {
  const dx = Math.min(1 - right, Math.max(-left, across)), dy = Math.min(1 - bottom, Math.max(-top, down));
  return [left + dx, top + dy, right + dx, bottom + dy].map(clamp);
}

function sized([left, top, right, bottom], [across, down]) {
  return [left, top, Math.max(left + STEP, clamp(right + across)), Math.max(top + STEP, clamp(bottom + down))].map(clamp);
}

part("name").addEventListener("change", () => {
  const video = videos[at];
  video.name = part("name").value.trim() || video.name;
  part("name").value = video.name;
  if (video.box !== null) save(at);
});

function go(to) {
  at = Math.min(videos.length - 1, Math.max(0, to));
  show();
}

part("back").addEventListener("click", () => go(at - 1));
part("next").addEventListener("click", () => go(at + 1));
part("skip").addEventListener("click", () => {
  videos[at].box = null;
  save(at);
  go(at + 1);
});

part("finish").addEventListener("click", async () => {
  try {
    await saving;
    await post("finish", {});
    part("draw").hidden = true;
    part("done").hidden = false;
  } catch (error) {
    trouble(error);
  }
});

async function begin() {
  videos = await (await fetch("videos")).json();
  const left = videos.findIndex(video => !video.answered);
  go(left < 0 ? 0 : left);
  part("draw").hidden = false;
}

begin().catch(trouble);
