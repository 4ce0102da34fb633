"use strict";
// Adds to each search result the part of its page that holds one of the words.
document.addEventListener("DOMContentLoaded", () => {
  const around = 110;
  const asked = new URLSearchParams(window.location.search).get("q") || "";
  const words = asked.toLowerCase().split(/\s+/).filter(Boolean);
  const place = document.getElementById("search-results");
  const excerpt = (text) => {
    const lower = text.toLowerCase();
    // Words that are not there as they were typed are there by their stem.
    const stems = words.flatMap((word) => [word, word.slice(0, Math.max(4, word.length - 3))]);
    const found = stems.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
    const at = found.length ? found[0] : 0;
    const start = at <= around ? 0 : text.indexOf(" ", at - around) + 1;
    const end = Math.min(text.length, at + 2 * around);
    return `${start ? "… " : ""}${text.slice(start, end)}${end < text.length ? " …" : ""}`;
  };
  const add = (item) => {
    const link = item.querySelector("a");
    if (!link || item.querySelector(".context")) return;
    const root = new URL(document.documentElement.dataset.content_root, window.location.href);
    const page = new URL(link.href).pathname.slice(root.pathname.length).replace(/\.html$/, "");
    const text = PAGE_TEXTS[page];
    if (!text) return;
    const shown = document.createElement("p");
    shown.className = "context";
    shown.textContent = excerpt(text);
    item.append(shown);
  };
  if (place)
    new MutationObserver(() => place.querySelectorAll("ul.search li").forEach(add)).observe(place, {
      childList: true,
      subtree: true,
    });
});
