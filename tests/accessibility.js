(() => {
  const found = [];
  const tell = (kind, element) => found.push({kind, what: element ? (element.id || element.outerHTML.slice(0, 120)) : ""});
  const shown = (e) => e.checkVisibility ? e.checkVisibility({contentVisibilityAuto: false}) : true;
  if (!document.documentElement.lang) tell("language");
  if (!document.title.trim()) tell("title");
  if (document.querySelectorAll("main").length !== 1) tell("main");

  let level = 0;
  for (const head of document.querySelectorAll("h1,h2,h3,h4,h5,h6")) {
    if (!shown(head) || head.closest("dialog")) continue;
    const next = Number(head.tagName[1]);
    if (next > level + 1) tell("heading order", head);
    level = next;
  }

  const name = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).map((id) => document.getElementById(id)?.textContent || "").join(" ");
    const label = e.labels ? [...e.labels].map((l) => l.textContent).join(" ") : "";
    return (e.getAttribute("aria-label") || by || label || e.getAttribute("alt") || e.textContent || "").trim();
  };
  for (const e of document.querySelectorAll("a[href],button,input,select,summary,[role=region],[role=tab],[role=img],video,dialog"))
    if (shown(e) && !name(e)) tell("no name", e);
  for (const e of document.querySelectorAll("a[aria-label],button[aria-label]"))
    if (!e.getAttribute("aria-label").includes(e.textContent.trim())) tell("another name than it shows", e);
  for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) tell("no alternative", e);

  const ids = new Map();
  for (const e of document.querySelectorAll("[id]")) ids.set(e.id, (ids.get(e.id) || 0) + 1);
  for (const [id, count] of ids) if (count > 1) tell("same id twice", document.getElementById(id));
  for (const e of document.querySelectorAll("[tabindex]")) if (e.tabIndex > 0) tell("order of focus", e);
  for (const e of document.querySelectorAll("*"))
    if (e.scrollWidth > e.clientWidth + 2 && ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && shown(e)
        && e !== document.documentElement && e.tabIndex < 0 && !e.querySelector("a,button,input,[tabindex]")) tell("not reached by keys", e);

  const parts = (colour) => {
    const found = colour.match(/rgba?\(([^)]+)\)/);
    if (!found) return [0, 0, 0, 0];
    const [r, g, b, a = 1] = found[1].split(/[ ,/]+/).filter(Boolean).map(Number);
    return [r, g, b, a];
  };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (style.backgroundImage !== "none") return null;
      const colour = parts(style.backgroundColor);
      if (colour[3] > 0) { layers.push(colour); if (colour[3] === 1) break; }
    }
    const paper = document.documentElement.matches(":root") && matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    return [...layers, paper].reduceRight((below, above) => below.map((v, n) => n === 3 ? 1 : above[n] * above[3] + v * (1 - above[3])));
  };
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || seen.has(e) || !shown(e) || e.closest("script,style,svg,noscript,[aria-hidden=true],dialog:not([open])")) continue;
    seen.add(e);
    const style = getComputedStyle(e), back = behind(e);
    if (!back) continue;
    const text = parts(style.color), mixed = text.map((v, n) => n === 3 ? 1 : v * text[3] + back[n] * (1 - text[3]));
    const [one, other] = [light(mixed), light(back)].sort((a, b) => b - a);
    const ratio = (one + 0.05) / (other + 0.05), size = Number.parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.01) tell("contrast", e);
  }
  return found.slice(0, 20);
})()
