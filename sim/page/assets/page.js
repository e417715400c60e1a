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

// A part that fails takes no other with it.
tandem.madeOr = (make, title) => {
  try {
    return make();
  } catch (error) {
    console.error(title, error);
    return tandem.el("p", {class: "bad"}, `This part cannot be shown: ${error.message}. The JSON is below.`);
  }
};

tandem.start = () => {
  const {el} = tandem, data = tandem.read(document.getElementById("data").textContent);
  const main = document.getElementById("parts"), list = el("ul");
  const verdicts = tandem.verdicts(data);
  document.getElementById("verdicts").append(
    ...(verdicts.length > 0 ? verdicts : ["Here is no result that a verdict can be given of."]).map(text => el("p", {class: "verdict"}, tandem.said(text))),
    ...data.supposed.map(text => el("p", {class: "supposed"}, "Supposed: " + text + ".")));
  tandem.parts.sort((a, b) => tandem.order.indexOf(a.title) - tandem.order.indexOf(b.title));
  tandem.parts.forEach(({title, make}, i) => {
    const made = tandem.madeOr(() => make(data), title);
    if (made === null) return;
    main.append(el("section", {id: "part" + i, "aria-labelledby": "title" + i}, el("h2", {id: "title" + i}, title), made));
    list.append(el("li", {}, el("a", {href: "#part" + i}, title)));
  });
  document.getElementById("contents").append(list);
};
tandem.start();
