"use strict";

const part = id => document.getElementById(id);
let word = "";

async function post(where, what) {
  const answer = await fetch(where, {method: "POST", headers: {"Content-Type": "application/json", "X-Lookaway-Word": word}, body: JSON.stringify(what)});
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

function row(table, cells, kind) {
  const line = table.insertRow();
  for (const cell of cells) {
    const place = line.appendChild(document.createElement(kind || "td"));
    if (cell instanceof Node) place.append(cell); else place.textContent = cell;
  }
}

function button(text, does) {
  const made = document.createElement("button");
  made.type = "button"; made.className = "danger"; made.textContent = text;
  made.addEventListener("click", () => confirm(`${text}?`) && does().then(show).catch(trouble));
  return made;
}

function trouble(error) { part("trouble").textContent = error.message; }

async function show() {
  const answer = await fetch("state");
  if (!answer.ok) throw new Error(await answer.text());
  const told = await answer.json();
  word = told.word;
  part("trouble").textContent = "";
  part("title").textContent = told.title;
  part("lead").textContent = `${told.items} items`;
  for (const id of ["raters", "invites", "audit"]) part(id).replaceChildren();
  row(part("raters"), ["rater", "answered", "checks right", "same again", "last answer", ""], "th");
  for (const one of told.raters) row(part("raters"), [one.rater, `${one.answered} of ${one.asked}`, `${one.checks_right} of ${one.checks}`,
    `${one.same_again} of ${one.again}`, one.last_at.slice(0, 16), button("delete all they said", () => post("erase", {rater: one.rater}))]);
  row(part("invites"), ["invite", "role", "expires", "state", ""], "th");
  for (const one of told.invites) row(part("invites"), [one.id, one.role, one.expires_at.slice(0, 16),
    one.withdrawn_at ? "withdrawn" : one.used_by ? `used by ${one.used_by}` : "open",
    one.withdrawn_at ? "" : button("withdraw", () => post("withdraw", {invite: one.id}))]);
  row(part("audit"), ["when", "who", "what", "about"], "th");
  for (const one of told.audit) row(part("audit"), [one.at.slice(0, 19), one.who, one.what, one.about]);
}

part("invite").addEventListener("click", async () => {
  try { part("link").textContent = (await post("invite", {hours: 72})).link; await show(); } catch (error) { trouble(error); }
});
part("refresh").addEventListener("click", () => show().catch(trouble));
show().catch(trouble);
