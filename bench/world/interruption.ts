/** What ends a benchmark before its time: a signal to us, or a process of the system that ended unasked. */
import type { RunningSystem } from '../../src/launcher/system.js';

const POLL_INTERVAL_MS = 250;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** We were told to end. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Runs `work` unless that is cut short. What it holds open is its caller's to close in either case.
 * @param mayEnd whether a process may end, because the work ends it
 * @throws Interrupted; an error that names the process
 */
export async function unlessCutShort<T>(
  system: RunningSystem,
  work: () => Promise<T>,
  mayEnd: (process: string) => boolean = () => false,
): Promise<T> {
  let giveUp: (error: Error) => void = () => undefined;
  const cutShort = new Promise<never>((_, reject) => {
    giveUp = reject;
  });
  const onSignal = (signal: NodeJS.Signals) => giveUp(new Interrupted(`stopped by ${signal}`));
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const timer = setInterval(() => {
    const ended = system.processes.find(({ name, pid }) => pid === undefined && !mayEnd(name));
    if (ended !== undefined) giveUp(new Error(`the ${ended.name} process has ended in the middle of a benchmark`));
  }, POLL_INTERVAL_MS);
  try {
    return await Promise.race([work(), cutShort]);
  } finally {
    clearInterval(timer);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  }
}
