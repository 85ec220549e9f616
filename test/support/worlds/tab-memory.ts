/** How much memory a tab needs: that of its process in Chromium, which no other process shares. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

const KB = 1024;

/** @returns bytes; of the largest process of pages, where the browser has several */
export async function tabMemory(page: Page): Promise<number> {
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('HeapProfiler.collectGarbage');
  await inspector.detach();
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return Math.max(...processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => ownBytes(id)));
}

/** What the system counts as the process's own; nothing of a process that has just ended. */
function ownBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * KB;
  } catch {
    return 0;
  }
}
