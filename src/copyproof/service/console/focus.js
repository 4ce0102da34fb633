// Where the keyboard is: found again when what had the focus was made anew.

/** By what an element is known again: what it acts on, or else what it says. */
function nameOf(element) {
  return (
    element.dataset.focus ??
    element.getAttribute("aria-label") ??
    element.getAttribute("href") ??
    element.textContent
  );
}

/** What has the focus now. */
export function place() {
  const element = document.activeElement;
  return { element, tag: element.tagName, name: nameOf(element) };
}

/** Give the focus back: to the element, to the one that took its place, or to the page. */
export function giveBack({ element, tag, name }) {
  const found = element.isConnected
    ? element
    : [...document.querySelectorAll(tag)].find((one) => nameOf(one) === name);
  (found ?? document.getElementById("main")).focus({ preventScroll: true });
}
