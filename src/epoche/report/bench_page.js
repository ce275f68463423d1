"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const { area } = data;
  const find = (id) => document.getElementById(id);
  const [select, target, slide, cursor] = ["run", "target", "slide", "cursor"].map(find);
  const figures = [...document.querySelectorAll("[data-plot]")];
  const percent = (value) => (100 * value).toFixed(1) + " %";
  const run = () => data.runs[select.value];
  // A point is [τ, answered, wrong, low, high]; what has no proposal counts in coverage and is never answered.
  const coverage = (point) => point[1] / run().items.length;
  const risk = (point) => point[2] / point[1];
  const x = (point) => area.left + area.width * coverage(point);
  const y = (value) => area.top + area.height * (1 - Math.min(1, value / data.tops[run().plot]));

  const shape = (name, attributes) => {
    // The namespace of a drawing that is there, so that no address is written in this page.
    const made = document.createElementNS(figures[0].querySelector("svg").namespaceURI, name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  };
  const layer = () => figures[run().plot].querySelector(".marks");
  const group = (name) => {
    layer().querySelector("." + name)?.remove();
    return layer().appendChild(shape("g", { class: name }));
  };
  const measured = ([, answered, wrong, low, high]) =>
    `${wrong} of ${answered} answered are wrong: risk ${percent(wrong / answered)} (95 % interval of this one share ${percent(low)} to ${percent(high)})`;

  // The largest coverage whose risk is at most the target; -1: there is none.
  const within = (most) => run().points.findLastIndex((point) => point[2] <= most * point[1] + 1e-12);

  const read = () => {
    const point = run().points[cursor.value];
    const drawn = group("reading");
    if (!point) return;
    drawn.append(
      shape("line", { class: "hair", x1: x(point), x2: x(point), y1: area.top, y2: area.top + area.height }),
      shape("circle", { class: "here " + run().colour, cx: x(point), cy: y(risk(point)), r: 5 }));
    const words = `τ = ${point[0].toFixed(4)}: coverage ${percent(coverage(point))}; ${measured(point)}.`;
    find("reading").textContent = words;
    cursor.setAttribute("aria-valuetext", words);
  };

  const fill = (items) => {
    find("withheld").replaceChildren(...items.map(([id, statement, gold, predicted, confidence]) => {
      const row = document.createElement("tr");
      const { labels } = run();
      const proposed = predicted === null ? "Nothing proposed" : labels[predicted];
      const state = predicted === null ? "no proposal" : predicted === gold ? "right" : "wrong";
      [id, statement, labels[gold], proposed, confidence === null ? "" : confidence.toFixed(3), state]
        .forEach((text) => { row.insertCell().textContent = text; });
      row.cells[1].dir = "auto";
      return row;
    }));
  };

  const choose = () => {
    const most = target.value === "" ? NaN : Number(target.value);
    const valid = most >= 0 && most <= 1;
    const place = valid ? within(most) : -1;
    const point = run().points[place];
    const drawn = group("choice");
    target.setAttribute("aria-invalid", String(!valid));
    find("list").hidden = !valid;
    if (!valid) {
      find("answer").textContent = "Give a target risk from 0 to 1.";
      return;
    }
    drawn.append(shape("line", { class: "target", x1: area.left, x2: area.left + area.width, y1: y(most), y2: y(most) }));
    if (point) drawn.append(shape("circle", { class: "chosen", cx: x(point), cy: y(risk(point)), r: 7 }));
    const kept = (item) => point && item[4] !== null && item[4] >= point[0];
    // Nearest to an answer first; what has no proposal last.
    const held = run().items.filter((item) => !kept(item)).sort((a, b) => (b[4] ?? -1) - (a[4] ?? -1));
    const right = held.filter((item) => item[3] === item[2]).length;
    const none = held.filter((item) => item[3] === null).length;
    const half = data.runs[select.value].held[String(most)];
    find("answer").textContent = (point
      ? `Answer from τ = ${point[0].toFixed(4)}: coverage ${percent(coverage(point))}; ${measured(point)}.`
      : `No threshold keeps the risk at ${percent(most)} or below: everything is withheld.`)
      + (half ? ` Chosen on one half and counted on the other: coverage ${percent(half.coverage)}, risk ${half.risk === null ? "undefined" : percent(half.risk)}.` : "");
    find("withheld-title").textContent = `What would be withheld: ${held.length} of ${run().items.length} items, `
      + `${right} right, ${held.length - right - none} wrong` + (none ? `, ${none} without a proposal` : "");
    fill(held);
  };

  const change = () => {
    figures.forEach((figure, i) => {
      figure.hidden = i !== run().plot;
      figure.querySelector(".marks").replaceChildren();
    });
    // The chosen curve is wide and below the others, so that one that is the same still shows.
    const lines = [...figures[run().plot].querySelectorAll("[data-run]")];
    lines.forEach((line) => line.classList.toggle("picked", line.dataset.run === select.value));
    const picked = lines.find((line) => line.dataset.run === select.value);
    if (lines[0] !== picked) lines[0].before(picked);
    find("run-" + select.value).open = true;
    cursor.max = Math.max(0, run().points.length - 1);
    cursor.disabled = run().points.length === 0;
    cursor.value = cursor.max;
    find("reading").textContent = cursor.disabled ? "Nothing was proposed: there is no curve." : "";
    choose();
    read();
  };

  figures.forEach((figure) => figure.querySelector("svg").addEventListener("pointermove", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const there = ((event.clientX - box.left) * event.currentTarget.viewBox.baseVal.width) / box.width;
    let best = 0;
    run().points.forEach((point, i, all) => { if (Math.abs(x(point) - there) < Math.abs(x(all[best]) - there)) best = i; });
    cursor.value = best;
    read();
  }));
  data.runs.forEach((each, i) => select.add(new Option(each.name, i)));
  select.addEventListener("change", change);
  target.addEventListener("input", () => { slide.value = target.value; choose(); });
  slide.addEventListener("input", () => { target.value = slide.value; choose(); });
  cursor.addEventListener("input", read);
  // Browsers that print a closed part as closed.
  addEventListener("beforeprint", () => document.querySelectorAll(".detail").forEach((part) => { part.open = true; }));
  document.querySelectorAll(".interactive").forEach((part) => { part.hidden = false; });
  change();
})();
