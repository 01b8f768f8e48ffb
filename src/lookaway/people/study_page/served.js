"use strict";

// A study that a server holds: what page.js asks of whoever keeps the answers.
const backend = (() => {
  let word = "";

  async function asked(where, what) {
    const answer = await fetch(where, what === undefined ? {} : {
      method: "POST", headers: {"Content-Type": "application/json", "X-Lookaway-Word": word}, body: JSON.stringify(what)});
    if (!answer.ok) {
      const error = new Error(await answer.text());
      error.refused = answer.status < 500 && answer.status !== 429;
      throw error;
    }
    return answer;
  }

  // Asked again until there is an answer: the same submission counts once.
  async function insisted(where, what) {
    for (let wait = 300; ; wait = Math.min(5000, 2 * wait)) {
      try {
        const told = await (await asked(where, what)).json();
        document.dispatchEvent(new CustomEvent("reached"));
        return told;
      } catch (error) {
        if (error.refused) throw error;
        document.dispatchEvent(new CustomEvent("unreached"));
        await new Promise(done => setTimeout(done, wait));
      }
    }
  }

  return {
    async state() { const told = await (await asked("state")).json(); word = told.word; return told; },
    async clip(number, place) { return (await asked(`clip/${number}/${place}`)).blob(); },
    keep: answer => insisted("answer", answer),
    undo: submission => insisted("undo", {submission}),
    elsewhere: async () => (await (await asked("elsewhere", {})).json()).link,
    leave: async () => { await asked("leave", {}); },
  };
})();
