"use strict";

const part = id => document.getElementById(id);
// Sent with every try to join: whoever hears no answer the first time gets the same seat the second time.
const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");

async function begin() {
  const answer = await fetch("consent");
  if (!answer.ok) throw new Error(await answer.text());
  const {title, consent, role, known} = await answer.json();
  part("title").textContent = title;
  part("consent").textContent = role === "admin" ? "You run this study: you see how far people are, invite them, and take their labels." : consent;
  part("agree").textContent = role === "admin" ? "Open" : known ? "Go on" : "I agree, begin";
  part("agree").disabled = false;
  part("agree").focus();
}

part("agree").addEventListener("click", async () => {
  part("agree").disabled = true;
  try {
    const answer = await fetch("join", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({consent: true, key})});
    if (!answer.ok) throw new Error(await answer.text());
    location.replace((await answer.json()).role === "admin" ? "/admin/" : "/");
  } catch (error) {
    part("trouble").textContent = error.message;
    part("agree").disabled = false;
  }
});

begin().catch(error => { part("trouble").textContent = error.message; });
