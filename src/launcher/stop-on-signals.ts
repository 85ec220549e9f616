/** Stops a system in order on the first signal, and at once on the second. */
import { constants } from 'node:os';
import type { System } from './system.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_POLL_INTERVAL_MS = 250;
/** Ctrl-C arrives from the terminal and again from npm, which passes it on. Within this time both are one signal. */
const SAME_SIGNAL_MS = 250;

interface StopOptions {
  readonly say: (line: string) => void;
  /** Whether npm is the parent. Then the end of the parent process means that npm was ended. */
  readonly runsUnderNpm: boolean;
}

/** Also ends this process: with 0 when all ended in order, with 128 + n after a second signal n. */
export function stopOnSignals(system: System, { say, runsUnderNpm }: StopOptions): void {
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = { signal, at: performance.now() };
      say('stopping (a second signal ends everything at once)');
      system.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          say(`could not stop in order: ${String(error)}`);
          process.exit(1);
        },
      );
    } else if (signal !== first.signal || performance.now() - first.at > SAME_SIGNAL_MS) {
      system.killNow();
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  if (runsUnderNpm) whenParentIsGone(() => onSignal('SIGHUP'));
}

/** If npm is killed, or the shell between npm and us, no signal is passed on, and the system would keep running. */
function whenParentIsGone(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_POLL_INTERVAL_MS);
  timer.unref();
}
