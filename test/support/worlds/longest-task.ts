/** The longest task of a page, in which it answers nobody who clicks or types. */
import type { Page } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Of the processor, in microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/**
 * @param use loads the page or uses it, and waits for what then is there
 * @returns milliseconds of the processor: they do not depend on what else the machine does
 */
export async function longestTask(page: Page, use: () => Promise<void>): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('the page has no browser');
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  let trace: Buffer;
  try {
    await use();
  } finally {
    trace = await browser.stopTracing();
  }
  const { traceEvents } = JSON.parse(trace.toString('utf8')) as { readonly traceEvents: readonly TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`;
  const ofPages = new Set(traceEvents.filter((one) => one.args?.name === 'CrRendererMain').map(threadOf));
  const tasks = traceEvents.filter((one) => /RunTask$/.test(one.name) && ofPages.has(threadOf(one)));
  if (!tasks.some(({ tdur = 0 }) => tdur > 0)) throw new Error('the browser has told of no task');
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
