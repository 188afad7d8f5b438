"use strict";
// Sorts and searches the table of members. Rows that are not shown cost no layout: 10,000 of them open at once.
document.documentElement.classList.add("scripted");
document.addEventListener("DOMContentLoaded", () => {
  const PAGE = 100, PRINTED = 2000;
  const table = document.querySelector("table.all");
  const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
  const search = document.querySelector(".search input"), output = document.querySelector(".search output");
  const button = document.querySelector("#members button");
  const numbers = new Intl.NumberFormat(document.documentElement.lang);
  const order = new Intl.Collator(document.documentElement.lang, { numeric: true });
  const ranks = ["l-critical", "l-high", "l-unknown", "l-medium", "l-low"];
  const rows = [...body.rows], texts = new Map();
  const sentences = new Map(), cells = new Map();
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules) {
      const sentence = /^\.all p\.([A-Z][a-z]*)::before$/.exec(rule.selectorText);
      const cell = /^\.all (?:td)?\.([A-Z][a-z]*|l-[a-z]+)::after$/.exec(rule.selectorText);
      if (sentence) sentences.set(sentence[1], unquote(rule.style.content));
      if (cell) cells.set(cell[1], unquote(rule.style.content));
    }
  let found = rows, shown = PAGE, column = -1, direction = 1;

  function unquote(text) {
    return text.slice(1, -1).replace(/\\(?:([0-9a-f]{1,6})\s?|(.))/gi, (_, code, sign) =>
      code ? String.fromCodePoint(parseInt(code, 16)) : sign);
  }
  // The lines of a cell, from the rule of its class or from its own nodes.
  function lines(cell) {
    const name = [...cell.classList].find((one) => cells.has(one));
    if (name) return cells.get(name).split("\n");
    return [...cell.childNodes].map((node) => sentences.get(node.className) ?? node.textContent);
  }
  // The sentences of a row are text from the moment it is shown, so that they can be selected and found.
  function write(row) {
    for (const cell of row.querySelectorAll("td[class]")) {
      const name = [...cell.classList].find((one) => /^[A-Z]/.test(one));
      if (!name) continue;
      cell.replaceChildren(...lines(cell).map((line) => {
        const sentence = document.createElement("p");
        sentence.textContent = line;
        return sentence;
      }));
      cell.classList.remove(name);
    }
    for (const sentence of row.querySelectorAll("p[class]")) {
      sentence.textContent = sentences.get(sentence.className);
      sentence.removeAttribute("class");
    }
  }
  function text(row) {
    if (!texts.has(row)) texts.set(row, [...row.cells].flatMap(lines).join("\n").toLocaleLowerCase());
    return texts.get(row);
  }
  function key(row) {
    const cell = row.cells[column];
    if (column === 1) return ranks.indexOf(cell.className);
    if (column === 2) return -parseInt(cell.textContent.replace(/[^0-9]/g, "") || "-1", 10);
    if (column === 3 || column === 4) return -lines(cell).length;
    if (column === 5) return parseInt(cell.className.slice(1), 10);
    return lines(cell)[0] ?? "";
  }
  function compare(first, second) {
    if (typeof first === "number") return first - second;
    return !first - !second || order.compare(first, second);
  }
  function draw() {
    for (const row of body.querySelectorAll(".on")) row.classList.remove("on");
    found.slice(0, shown).forEach((row) => { write(row); row.classList.add("on"); });
    output.textContent = output.dataset.found
      .replace("{shown}", numbers.format(Math.min(shown, found.length)))
      .replace("{found}", numbers.format(found.length)).replace("{all}", numbers.format(rows.length));
    button.hidden = shown >= found.length;
  }
  function select() {
    const words = search.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
    const all = [...body.rows];
    found = words.length ? all.filter((row) => words.every((word) => text(row).includes(word))) : all;
    shown = PAGE;
    draw();
  }
  function sort(place) {
    direction = column === place ? -direction : 1;
    column = place;
    heads.forEach((head, number) => head.setAttribute("aria-sort",
      number !== place ? "none" : direction > 0 ? "ascending" : "descending"));
    const keys = new Map(rows.map((row) => [row, key(row)]));
    body.append(...[...rows].sort((a, b) => direction * compare(keys.get(a), keys.get(b))));
    select();
  }
  function open() {
    const row = location.hash.startsWith("#inn-") && document.getElementById(location.hash.slice(1));
    if (!row) return;
    if (!found.includes(row)) { search.value = ""; select(); }
    if (found.indexOf(row) >= shown) { shown = found.indexOf(row) + 1; draw(); }
    row.scrollIntoView({ block: "center" });
  }
  heads.forEach((head, number) => {
    const press = document.createElement("button");
    press.type = "button";
    press.append(...head.childNodes);
    press.addEventListener("click", () => sort(number));
    head.append(press);
  });
  search.addEventListener("input", select);
  button.addEventListener("click", () => { shown += 5 * PAGE; draw(); });
  addEventListener("hashchange", open);
  addEventListener("beforeprint", () => { shown = Math.max(shown, PRINTED); draw(); });
  select();
  open();
});
