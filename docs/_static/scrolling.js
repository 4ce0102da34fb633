"use strict";
// What is wider than its place can be scrolled with the keyboard, too: it takes the focus, and has
// a name. What fits takes none, so that the way through a page stays short.
document.addEventListener("DOMContentLoaded", () => {
  const places = document.querySelectorAll("pre, .table-wrapper, div.math");
  const name = (place) => {
    if (place.matches("pre")) return "Code";
    if (place.matches("div.math")) return "Formula";
    return place.querySelector("caption")?.textContent.trim() || "Table";
  };
  const look = (place) => {
    if (place.scrollWidth > place.clientWidth) {
      place.tabIndex = 0;
      place.setAttribute("role", "group");
      place.setAttribute("aria-label", name(place));
    } else {
      for (const each of ["tabindex", "role", "aria-label"]) place.removeAttribute(each);
    }
  };
  const observer = new ResizeObserver((entries) => entries.forEach((each) => look(each.target)));
  places.forEach((place) => {
    look(place);
    observer.observe(place);
  });
});
