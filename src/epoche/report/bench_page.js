
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const area = { left: 54, top: 14, width: 560, height: 300 };
  const find = (id) => document.getElementById(id);
  const [plot, marks, select, target] = ["plot", "marks", "run", "target"].map(find);
  document.querySelectorAll(".interactive").forEach((part) => { part.hidden = false; });
  data.runs.forEach((run, i) => select.add(new Option(run.name, i)));
  const x = (coverage) => area.left + area.width * coverage;
  const y = (risk) => area.top + area.height * (1 - risk / data.top);
  const percent = (value) => (100 * value).toFixed(1) + " %";
  let cursor = null;

  const shape = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  };
  const cell = (row, text) => { row.insertCell().textContent = text; };

  // The lowest threshold whose risk is at most the target: the largest coverage.
  const within = (run, risk) => {
    let found = -1;
    run.points.forEach((point, i) => { if (point[2] <= risk + 1e-12) found = i; });
    return found;
  };

  const draw = () => {
    const run = data.runs[select.value];
    document.querySelectorAll("#plot polyline").forEach((line) =>
      line.classList.toggle("faint", line.dataset.run !== select.value));
    marks.replaceChildren();
    const risk = Number.parseFloat(target.value);
    const valid = Number.isFinite(risk) && risk >= 0 && risk <= 1;
    const place = valid ? within(run, risk) : -1;
    const tau = place < 0 ? Infinity : run.points[place][0];
    if (valid) marks.append(shape("line", { class: "grid", x1: area.left, x2: area.left + area.width, y1: y(Math.min(risk, data.top)), y2: y(Math.min(risk, data.top)), "stroke-dasharray": "4 3" }));
    if (place >= 0) marks.append(shape("circle", { class: "mark", cx: x(run.points[place][1]), cy: y(run.points[place][2]), r: 6 }));
    if (cursor !== null && run.points[cursor]) {
      const [t, coverage, r] = run.points[cursor];
      marks.append(shape("circle", { cx: x(coverage), cy: y(r), r: 4, fill: run.colour }));
      find("reading").textContent = `${run.name}: τ = ${t.toFixed(4)}, coverage ${percent(coverage)}, risk ${percent(r)}`;
    }
    find("answer").textContent = !valid ? "Give a target risk from 0 to 1."
      : place < 0 ? `No threshold of ${run.name} keeps the risk at ${percent(risk)}: everything would be withheld.`
      : `${run.name}: at τ = ${tau.toFixed(4)} it answers ${percent(run.points[place][1])} with a risk of ${percent(run.points[place][2])}.`;
    const held = run.items.filter((item) => item[4] < tau).sort((a, b) => a[4] - b[4]);
    find("withheld-title").textContent = `What would be withheld: ${held.length} of ${run.n}`;
    const body = find("withheld");
    body.replaceChildren();
    held.forEach((item) => {
      const row = body.insertRow();
      item.slice(0, 4).forEach((text) => cell(row, text === null ? "nothing" : text));
      cell(row, item[4].toFixed(3));
    });
  };

  plot.tabIndex = 0;
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const coverage = ((event.clientX - box.left) * 630 / box.width - area.left) / area.width;
    const points = data.runs[select.value].points;
    let best = 0;
    points.forEach((point, i) => { if (Math.abs(point[1] - coverage) < Math.abs(points[best][1] - coverage)) best = i; });
    cursor = points.length ? best : null;
    draw();
  });
  plot.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const last = data.runs[select.value].points.length - 1;
    cursor = Math.min(last, Math.max(0, (cursor === null ? -1 : cursor) + step));
    draw();
  });
  select.addEventListener("change", () => { cursor = null; draw(); });
  target.addEventListener("input", draw);
  draw();
})();
