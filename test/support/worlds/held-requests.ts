/** Requests of a page that are not answered until it has asked again, if it does: a slow answer without a pause. */
import type { Page } from 'playwright-core';

/** @param act what asks, more than once @returns how often the page has asked */
export async function askedWhileHeld(page: Page, address: RegExp, act: () => Promise<void>): Promise<number> {
  const held: (() => Promise<void>)[] = [];
  await page.route(address, (route) => {
    if (route.request().method() === 'GET') return route.continue();
    held.push(() => route.continue());
    return undefined;
  });
  const asked = page.waitForRequest((request) => request.method() !== 'GET' && address.test(request.url()));
  await act();
  await asked;
  // What a second click asks for is asked for within two frames of it.
  await page.evaluate('new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(go))))');
  const count = held.length;
  for (const answer of held) await answer();
  await page.unroute(address);
  return count;
}
