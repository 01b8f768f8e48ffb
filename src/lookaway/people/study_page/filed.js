"use strict";

// A study in one file: answers stay in this browser until they are saved as a file.
const backend = (() => {
  const study = JSON.parse(document.getElementById("study").textContent);
  const place = `lookaway:${study.study}:${study.rater}`;
  let kept = [], consented = false, lasting = true;

  function load() {
    try {
      const found = JSON.parse(localStorage.getItem(place) || "{}");
      kept = found.kept || [];
      consented = found.consented === true;
    } catch { lasting = false; }
  }

  function save() {
    try { localStorage.setItem(place, JSON.stringify({kept, consented})); } catch { lasting = false; }
    if (!lasting) throw Object.assign(new Error("this browser keeps nothing for files: save your answers before you close the page"), {kept: true});
  }

  function standing() {
    const newest = new Map();
    for (const answer of kept) newest.set(`${answer.number} ${answer.axis}`, answer);
    return [...newest.values()].filter(answer => !answer.undone);
  }

  load();
  return {
    consent: study.consent,
    consented: () => consented,
    agree() { consented = true; try { save(); } catch { /* said again with the first answer */ } },
    async state() { return {...study, answers: standing()}; },
    async clip(number, at) {
      const content = study.media[study.showings[number].clips[at].media];
      return new Blob([Uint8Array.from(atob(content), letter => letter.charCodeAt(0))], {type: "video/mp4"});
    },
    async keep(answer) { kept.push({...answer, at: new Date().toISOString()}); save(); return {}; },
    async undo(submission) {
      const last = standing().sort((a, b) => kept.indexOf(a) - kept.indexOf(b)).pop();
      if (!last) return {undone: null};
      kept.push({number: last.number, axis: last.axis, submission, undone: true, at: new Date().toISOString()});
      save();
      return {undone: [last.number, last.axis]};
    },
    async leave() { kept = []; localStorage.removeItem(place); },
    exported: () => JSON.stringify({lookaway: "answers", form: 1, study: study.study, rater: study.rater, consented, answers: kept}, null, 1),
    name: `answers-${study.rater}.json`,
  };
})();
