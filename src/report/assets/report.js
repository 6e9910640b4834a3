"use strict";
// The picture: layers, comparison, zoom, and its ties to the table of regions.
function startViewer(viewer) {
  const suffix = viewer.id.slice("viewer".length);  // of the back of an item that has two sides
  const byId = (id) => document.getElementById(id + suffix);
  const side = viewer.closest(".face") ?? document;
  const pictureWidth = Number(viewer.dataset.width);
  const pictureHeight = Number(viewer.dataset.height);
  let turns = 0;  // quarter turns, clockwise
  let width = pictureWidth;  // as it lies now
  let height = pictureHeight;
  const stages = [...viewer.querySelectorAll(".stage")];
  const maxZoom = 24;  // times the scale that shows everything
  const view = { scale: 1, x: 0, y: 0 };

  const fitScale = () => Math.min(viewer.clientWidth / width, viewer.clientHeight / height) || 1;
  const isFit = () => view.scale <= fitScale() * 1.001;

  // Turns the picture about its corner and back into the quadrant that is shown.
  function turning() {
    const back = [[0, 0], [width, 0], [width, height], [0, height]][turns];
    return `translate(${back[0]}px, ${back[1]}px) rotate(${90 * turns}deg)`;
  }
  // A box of the picture as it lies now, and a point of the view in pixels of the picture.
  function turnedBox([x, y, w, h]) {
    if (turns === 1) return [width - y - h, x, h, w];
    if (turns === 2) return [width - x - w, height - y - h, w, h];
    return turns === 3 ? [y, height - x - w, h, w] : [x, y, w, h];
  }
  function pictureAt(clientX, clientY) {
    const box = viewer.getBoundingClientRect();
    const x = (clientX - box.left - view.x) / view.scale;
    const y = (clientY - box.top - view.y) / view.scale;
    if (turns === 1) return [y, width - x];
    if (turns === 2) return [width - x, height - y];
    return turns === 3 ? [height - y, x] : [x, y];
  }
  function rotate() {
    turns = (turns + 1) % 4;
    [width, height] = turns % 2 ? [pictureHeight, pictureWidth] : [pictureWidth, pictureHeight];
    viewer.style.setProperty("--shape", `${width}/${height}`);
    viewer.dataset.turns = turns;
    fit();
  }

  // Moves the picture so that it covers the view, or stands in the middle where it is smaller.
  function settle() {
    const fit = fitScale();
    view.scale = Math.min(Math.max(view.scale, fit), fit * maxZoom);
    const keep = (offset, room, size) =>
      size <= room ? (room - size) / 2 : Math.min(0, Math.max(room - size, offset));
    view.x = keep(view.x, viewer.clientWidth, width * view.scale);
    view.y = keep(view.y, viewer.clientHeight, height * view.scale);
    for (const stage of stages) {
      stage.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale}) ${turning()}`;
    }
    viewer.classList.toggle("zoomed", !isFit());
    viewer.classList.toggle("close", view.scale > 4);
    viewer.dataset.zoom = (view.scale / fit).toFixed(3);
  }
  function fit() {
    view.scale = 0;
    settle();
  }
  // Zooms and keeps the point (x, y) of the view where it is.
  function zoom(factor, x = viewer.clientWidth / 2, y = viewer.clientHeight / 2) {
    const before = view.scale;
    const lowest = fitScale();
    view.scale = Math.min(Math.max(before * factor, lowest), lowest * maxZoom);
    view.x = x - (x - view.x) * view.scale / before;
    view.y = y - (y - view.y) * view.scale / before;
    settle();
  }
  function showBox(box) {
    const [x, y, w, h] = turnedBox(box);
    const room = 2.6;  // the box takes this part of the view, with something around it
    const lowest = fitScale();
    const wanted = Math.min(viewer.clientWidth / (w * room), viewer.clientHeight / (h * room));
    view.scale = Math.min(Math.max(wanted, lowest), Math.max(lowest * 8, 2));
    view.x = viewer.clientWidth / 2 - (x + w / 2) * view.scale;
    view.y = viewer.clientHeight / 2 - (y + h / 2) * view.scale;
    settle();
    const left = 100 * (x * view.scale + view.x) / viewer.clientWidth;
    if (left < split) setSplit(Math.max(0, left - 8));
  }

  // Comparison: the findings are shown to the right of the split.
  const splitter = byId("split");
  let split = 0;
  function setSplit(percent) {
    split = Math.min(100, Math.max(0, percent));
    viewer.style.setProperty("--split", `${split}%`);
    splitter.setAttribute("aria-valuenow", String(Math.round(split)));
    viewer.classList.toggle("bare-left", split < 12);
    viewer.classList.toggle("bare-right", split > 88);
  }
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    event.stopPropagation();
  });
  splitter.addEventListener("pointermove", (event) => {
    if (!splitter.hasPointerCapture(event.pointerId)) return;
    const box = viewer.getBoundingClientRect();
    setSplit(100 * (event.clientX - box.left) / box.width);
  });
  splitter.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -5, ArrowDown: -5, ArrowRight: 5, ArrowUp: 5, PageDown: -20, PageUp: 20, Home: -100, End: 100 };
    if (!(event.key in steps)) return;
    setSplit(split + steps[event.key]);
    event.preventDefault();
    event.stopPropagation();
  });

  // Regions: the smallest one under the pointer is meant.
  const chosen = byId("chosen");
  const shade = byId("shade");  // darkens what is not chosen
  const rows = [...side.querySelectorAll("tr[data-box]")];  // defects first, then regions
  const named = rows.filter((row) => row.dataset.defect);
  const places = named.length > 0 ? named : rows;  // what a click in the picture means
  const parts = [...side.querySelectorAll(".part")];
  const boxOf = (element) => element.dataset.box.split(",").map(Number);
  function choose(element, zoomTo) {
    for (const row of rows) row.setAttribute("aria-selected", String(row === element));
    for (const part of parts) part.toggleAttribute("aria-current", part === element);
    for (const mark of [chosen, shade]) mark.toggleAttribute("hidden", !element);
    viewer.dataset.chosen = element?.dataset.defect ?? element?.dataset.region ?? "";
    if (!element) return;
    const [x, y, w, h] = boxOf(element);
    const margin = element.matches("tr") ? 3 : 0;
    for (const [name, value] of [["x", x - margin], ["y", y - margin], ["width", w + 2 * margin], ["height", h + 2 * margin]]) {
      chosen.setAttribute(name, value);
    }
    shade.setAttribute("d", `M0 0h${pictureWidth}v${pictureHeight}h${-pictureWidth}zM${x - margin} ${y - margin}h${w + 2 * margin}v${h + 2 * margin}h${-w - 2 * margin}z`);
    if (zoomTo) showBox([x, y, w, h]);
  }
  function rowAt(clientX, clientY) {
    const [x, y] = pictureAt(clientX, clientY);
    const slack = 5 / view.scale;
    const hits = places.filter((row) => {
      const [left, top, w, h] = boxOf(row);
      return x >= left - slack && x <= left + w + slack && y >= top - slack && y <= top + h + slack;
    });
    const area = (row) => boxOf(row)[2] * boxOf(row)[3];
    return hits.sort((a, b) => area(a) - area(b))[0] ?? null;
  }
  function scrollToRow(row) {
    const scroller = row.closest(".scroller");
    scroller.scrollTop = row.offsetTop - scroller.clientHeight / 2;
  }
  function chooseAndShow(element) {
    choose(element, true);
    const box = viewer.getBoundingClientRect();
    if (box.bottom < 120 || box.top > innerHeight - 120) viewer.scrollIntoView({ block: "nearest" });
  }
  for (const element of [...rows, ...parts]) {
    element.addEventListener("click", () => chooseAndShow(element));
  }
  for (const button of side.querySelectorAll("button[data-show]")) {  // of the close-ups
    button.addEventListener("click", () => {
      const row = places.find((other) => (other.dataset.defect ?? other.dataset.region) === button.dataset.show);
      chooseAndShow(row);
      scrollToRow(row);
    });
  }

  // Pointers: one moves the picture, two zoom it, a click without a move chooses.
  const pointers = new Map();
  let travelled = 0;
  viewer.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    viewer.setPointerCapture(event.pointerId);
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    viewer.classList.add("moving");
  });
  viewer.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    travelled += Math.hypot(now.x - last.x, now.y - last.y);
    if (other) {
      const box = viewer.getBoundingClientRect();
      const distance = (a) => Math.max(1, Math.hypot(a.x - other.x, a.y - other.y));
      view.x += (now.x - last.x) / 2;
      view.y += (now.y - last.y) / 2;
      zoom(distance(now) / distance(last), (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top);
    } else if (travelled > 4) {
      view.x += now.x - last.x;
      view.y += now.y - last.y;
      settle();
    }
    pointers.set(event.pointerId, now);
  });
  function release(event) {
    if (!pointers.delete(event.pointerId)) return;
    if (pointers.size > 0) return;
    viewer.classList.remove("moving");
    if (event.type !== "pointerup" || travelled > 4) return;
    const row = rowAt(event.clientX, event.clientY);
    choose(row, false);
    if (row) scrollToRow(row);
  }
  viewer.addEventListener("pointerup", release);
  viewer.addEventListener("pointercancel", release);
  viewer.addEventListener("dblclick", (event) => {
    const box = viewer.getBoundingClientRect();
    zoom(2.5, event.clientX - box.left, event.clientY - box.top);
  });
  viewer.addEventListener("wheel", (event) => {
    if (event.deltaY > 0 && isFit()) return;  // nothing to zoom out of: the page scrolls
    event.preventDefault();
    const box = viewer.getBoundingClientRect();
    const pixels = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    zoom(Math.exp(-pixels / 400), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    if (viewer !== viewerInUse) return;
    const step = 60;
    const move = (dx, dy) => {
      view.x += dx;
      view.y += dy;
      settle();
    };
    const anywhere = { "+": () => zoom(1.4), "=": () => zoom(1.4), "-": () => zoom(1 / 1.4), "_": () => zoom(1 / 1.4), "0": fit, r: rotate, R: rotate, Escape: () => choose(null, false) };
    const focused = { ArrowLeft: () => move(step, 0), ArrowRight: () => move(-step, 0), ArrowUp: () => move(0, step), ArrowDown: () => move(0, -step) };
    const action = anywhere[event.key] ?? (event.target === viewer && !isFit() ? focused[event.key] : undefined);
    if (!action) return;
    action();
    event.preventDefault();
  });

  // Layers.
  function toggle(id, apply) {
    const button = byId(id);
    const show = () => apply(button.getAttribute("aria-pressed") === "true");
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", String(button.getAttribute("aria-pressed") !== "true"));
      show();
    });
    show();
  }
  for (const [id, colour] of [["unknown", hatching], ["glare", tint([0, 190, 170, 105], [0, 150, 135, 255])]]) {
    if (!byId(id)) continue;  // nothing is unknown, no highlight passed
    const layer = paintedMask(byId(id), colour);
    toggle(`layer-${id}`, (on) => { layer.hidden = !on; });
  }
  const mask = paintedMask(byId("mask"), tint([255, 32, 78, 150]));
  toggle("layer-mask", (on) => { mask.hidden = !on; });
  const leftLabel = byId("left-label").textContent;
  if (byId("copy")) {  // of a scan that was compared with a good copy
    const colour = paintedMask(byId("colour"), tint([20, 110, 255, 150]));
    toggle("layer-colour", (on) => { colour.hidden = !on; });
    toggle("layer-copy", (on) => {
      byId("copy").hidden = !on;
      if (on && split < 50) setSplit(50);  // room for it
      byId("left-label").textContent = on ? "Good copy" : leftLabel;
    });
  }
  toggle("layer-heat", (on) => {
    byId("heat").hidden = !on;
    byId("legend").hidden = !on;
  });
  toggle("layer-boxes", (on) => viewer.classList.toggle("with-boxes", on));
  byId("zoom-in").addEventListener("click", () => zoom(1.6));
  byId("zoom-out").addEventListener("click", () => zoom(1 / 1.6));
  byId("zoom-fit").addEventListener("click", fit);
  byId("rotate").addEventListener("click", rotate);
  if (byId("centering")) toggle("layer-centering", (on) => { byId("centering").toggleAttribute("hidden", !on); });

  // A new size of the view keeps what was in its middle, or everything.
  let wasFit = true;
  new ResizeObserver(() => (wasFit ? fit() : settle())).observe(viewer);
  const remember = () => { wasFit = isFit(); };
  for (const type of ["pointerup", "wheel", "keyup", "click"]) document.addEventListener(type, remember);
  for (const type of ["pointerdown", "focusin"]) side.addEventListener(type, () => { viewerInUse = viewer; });
  viewer.classList.add("live");
  document.body.classList.add("live");
  fit();
  setSplit(0);  // everything that was found
}

// Ways to paint a mask: (x, y, inside it, beside it, its size) to red, green, blue, alpha.
// What it marks is tinted, its outline bright.
function tint(inner, outline = [255, 214, 10, 230]) {
  return (x, y, inside, beside) => inside ? inner : beside ? outline : [0, 0, 0, 0];
}
// Diagonal stripes, light beside dark, that show on any print.
function hatching(x, y, inside, beside, size) {
  const period = Math.max(8, Math.floor(size / 80));
  const phase = inside ? Math.floor(4 * ((x + y) % period) / period) : 3;
  return phase === 0 ? [255, 255, 255, 190] : phase === 1 ? [24, 26, 32, 170] : [0, 0, 0, 0];
}

// A mask as a canvas.
function paintedMask(image, colourOf) {
  const canvas = document.createElement("canvas");
  canvas.id = image.id;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", image.alt);
  const paint = () => {
    const width = canvas.width = image.naturalWidth;
    const height = canvas.height = image.naturalHeight;
    canvas.style.width = `${image.getAttribute("width")}px`;
    canvas.style.height = `${image.getAttribute("height")}px`;
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    const pixels = context.getImageData(0, 0, width, height);
    const out = pixels.data;
    const inside = new Uint8Array(width * height);
    for (let i = 0; i < inside.length; ++i) inside[i] = out[4 * i] > 127 ? 1 : 0;
    for (let y = 0, i = 0; y < height; ++y) {
      for (let x = 0; x < width; ++x, ++i) {
        const beside = !inside[i] && ((x > 0 && inside[i - 1]) || (x + 1 < width && inside[i + 1]) ||
          (y > 0 && inside[i - width]) || (y + 1 < height && inside[i + width]));
        const colour = colourOf(x, y, inside[i], beside, Math.max(width, height));
        for (let c = 0; c < 4; ++c) out[4 * i + c] = colour[c];
      }
    }
    context.putImageData(pixels, 0, 0);
    image.replaceWith(canvas);
  };
  image.decode().then(paint);
  return canvas;
}

// Tables: a click on a heading sorts, a second one turns the order around.
function startSorting(table) {
  const headings = [...table.querySelectorAll("th")];
  const body = table.tBodies[0];
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const number = Number(cell.dataset.value ?? cell.textContent);
    return Number.isNaN(number) ? cell.textContent : number;
  };
  headings.forEach((heading, column) => {
    heading.querySelector("button")?.addEventListener("click", () => {
      const sizes = column > 0 && body.rows.length > 0 && typeof valueOf(body.rows[0], column) === "number";
      const [first, second] = sizes ? ["descending", "ascending"] : ["ascending", "descending"];
      const order = heading.getAttribute("aria-sort") === first ? second : first;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const rows = [...body.rows].sort((a, b) => {
        const [p, q] = [valueOf(a, column), valueOf(b, column)];
        return sign * (p < q ? -1 : p > q ? 1 : 0);
      });
      body.append(...rows);
    });
  });
}

// Charts: the values under the pointer.
function startChart(chart) {
  const columns = JSON.parse(chart.dataset.columns);
  if (columns.length === 0) return;
  const plot = chart.querySelector(".plot");
  const probe = document.createElement("div");
  probe.className = "probe";
  probe.append(document.createElement("span"));
  plot.addEventListener("pointermove", (event) => {
    const box = plot.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const [at, low, high] = columns.reduce((best, column) => Math.abs(column[0] - x) < Math.abs(best[0] - x) ? column : best);
    probe.style.left = `${100 * at}%`;
    probe.classList.toggle("flip", at > 0.6);
    const range = low === high ? `${low}` : `${low} to ${high}`;
    probe.firstChild.textContent = `${range} ${chart.dataset.unit}at ${(at * chart.dataset.seconds).toFixed(2)} s`;
    plot.append(probe);
  });
  plot.addEventListener("pointerleave", () => probe.remove());
}

// Golden frames and close-ups: larger in a dialog.
function startLightbox(dialog) {
  for (const button of document.querySelectorAll(".enlarge")) {
    button.addEventListener("click", () => {
      const image = button.querySelector("img");
      dialog.classList.toggle("magnify", !!button.closest(".close-up"));
      dialog.querySelector("img").src = image.src;
      dialog.querySelector("img").alt = image.alt;
      dialog.querySelector("p").textContent = image.alt;
      dialog.showModal();
    });
  }
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
}

const viewers = [...document.querySelectorAll(".viewer")];  // two of an item with two sides
let viewerInUse = viewers[0];  // which the keys are for
viewers.forEach(startViewer);
document.querySelectorAll(".regions table, .defects table").forEach(startSorting);
document.querySelectorAll(".chart").forEach(startChart);
startLightbox(document.getElementById("lightbox"));
