// A small chart as SVG: one curve with its points, drawn with the style sheet's colours.

const SPACE = "http://www.w3.org/2000/svg";

export function svg(tag, properties, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(properties)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Round numbers between two values, about five of them.
export function ticks(least, most) {
  const raw = Math.max(most - least, 1) / 4;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * size).find((one) => one >= raw);
  const first = Math.ceil(least / step - 1e-9);
  return Array.from({ length: Math.floor(most / step + 1e-9) - first + 1 }, (_, k) => (first + k) * step);
}

const drawn = new WeakMap(); // how an element's curve is drawn
const widths = new ResizeObserver((changes) => changes.forEach(({ target }) => drawn.get(target)()));

// Fill an element with a curve, and again when the element gets another width: letters keep their size.
export function drawCurve(within, options) {
  let width = null;
  drawn.set(within, () => {
    if (within.clientWidth === width) return;
    width = within.clientWidth;
    within.replaceChildren(curve(options, Math.min(640, Math.max(280, width || 640))));
  });
  drawn.get(within)();
  widths.observe(within);
}

// points: [[x, y], …]; xs: where the axis is labelled; level: a line across, with its name.
function curve({ points, xs, xLabel, yLabel, level, label, series, format }, wide) {
  const high = 240;
  const left = 58, right = 16, top = 30, bottom = 42;
  const most = Math.max(1, ...points.map(([, y]) => y), level ? level.y : 0);
  const least = Math.min(0, ...points.map(([, y]) => y));
  const [first, last] = [xs[0], xs[xs.length - 1]];
  const x = (value) => left + ((value - first) / Math.max(1, last - first)) * (wide - left - right);
  const y = (value) => top + ((most - value) / (most - least)) * (high - top - bottom);
  const text = (content, properties) => {
    const made = svg("text", properties);
    made.textContent = content;
    return made;
  };
  const chart = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, role: "img", "aria-label": label, class: "curve" });
  for (const value of ticks(least, most)) {
    chart.append(
      svg("line", { x1: left, x2: wide - right, y1: y(value), y2: y(value), class: "grid-line" }),
      text(format(value), { x: left - 8, y: y(value) + 4, class: "tick end" }),
    );
  }
  for (const value of xs) chart.append(text(String(value), { x: x(value), y: high - bottom + 18, class: "tick middle" }));
  chart.append(
    text(xLabel, { x: (left + wide - right) / 2, y: high - 6, class: "tick middle" }),
    text(yLabel, { x: 4, y: 16, class: "tick" }),
  );
  if (level) {
    chart.append(
      svg("line", { x1: left, x2: wide - right, y1: y(level.y), y2: y(level.y), class: "level" }),
      text(level.name, { x: wide - right, y: y(level.y) - 6, class: "tick end strong" }),
    );
  }
  chart.append(svg("polyline", { points: points.map(([a, b]) => `${x(a)},${y(b)}`).join(" "), class: `stroke stroke-${series}` }));
  for (const [a, b] of points) chart.append(svg("circle", { cx: x(a), cy: y(b), r: 5, class: `dot dot-${series}` }));
  return chart;
}
