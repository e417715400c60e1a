// Puts the page together, when all that it is made of is there.
"use strict";
tandem.part("The command and its results", data => {
  const {el} = tandem, text = JSON.stringify(data.page.results, null, 1);
  const name = (data.page.title || "tandem").replace(/[^\w.-]+/g, "_") + ".json";
  const save = () => {
    const link = el("a", {href: URL.createObjectURL(new Blob([text], {type: "application/json"})), download: name});
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return [el("p", {}, "Made by ", el("code", {}, data.page.command), `, tandem ${data.page.version}.`),
    el("p", {}, el("button", {type: "button", onclick: save}, "save the JSON"), " What the command prints with --json; the page shows nothing else."),
    el("details", {}, el("summary", {}, "look at it here"), el("pre", {tabindex: 0}, text.length > 200000 ? text.slice(0, 200000) + "\n... (the rest is in the file)" : text))];
});

tandem.start = () => {
  const {el} = tandem, data = tandem.read(document.getElementById("data").textContent);
  const main = document.getElementById("parts"), list = el("ul");
  document.getElementById("verdicts").append(...tandem.verdicts(data).map(text => el("p", {class: "verdict"}, text)));
  tandem.parts.sort((a, b) => tandem.order.indexOf(a.title) - tandem.order.indexOf(b.title));
  tandem.parts.forEach(({title, make}, i) => {
    const made = make(data);
    if (made === null) return;
    main.append(el("section", {id: "part" + i, "aria-labelledby": "title" + i}, el("h2", {id: "title" + i}, title), made));
    list.append(el("li", {}, el("a", {href: "#part" + i}, title)));
  });
  document.getElementById("contents").append(list);
};
tandem.start();
