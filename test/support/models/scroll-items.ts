/** What a hand does in the table of items, as a program that a page evaluates. */

/** Scrolls as fast as a person can. @returns the longest time without a row in view, in milliseconds */
export const SCROLL_TO_THE_END = `new Promise((resolve) => {
  const place = document.querySelector('.item-scroll');
  let longest = 0;
  let blankSince = 0;
  let still = 0;
  const step = (now) => {
    const box = place.getBoundingClientRect();
    const isBlank = document.elementFromPoint(box.left + 60, box.top + 120)?.closest('.item-row') == null;
    if (!isBlank) blankSince = 0;
    else if (blankSince === 0) blankSince = now;
    if (isBlank) longest = Math.max(longest, now - blankSince);
    const before = place.scrollTop;
    place.scrollTop += 300;
    const isBusy = place.getAttribute('aria-busy') === 'true';
    still = place.scrollTop === before && !isBusy ? still + 1 : 0;
    if (still > 30) resolve(longest);
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
})`;
