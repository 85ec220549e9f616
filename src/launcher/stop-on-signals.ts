/** Ends a system on the first signal in order, on the second at once. */
import { constants } from 'node:os';
import type { System } from './system.js';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_POLL_INTERVAL_MS = 250;
/** Ctrl-C reaches us from the terminal and once more from npm, which passes it on: that is one signal. */
const SAME_SIGNAL_MS = 250;

interface StopOptions {
  readonly say: (line: string) => void;
  /** Then the end of the parent process means that npm was ended. */
  readonly runsUnderNpm: boolean;
}

/** Ends this process too: with 0 when all ended in order, with 128 + n when signal n had to insist. */
export function stopOnSignals(system: System, { say, runsUnderNpm }: StopOptions): void {
  let first: { signal: NodeJS.Signals; at: number } | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = { signal, at: Date.now() };
      say('stopping (a second signal ends everything at once)');
      system.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          say(`could not stop in order: ${String(error)}`);
          process.exit(1);
        },
      );
    } else if (signal !== first.signal || Date.now() - first.at > SAME_SIGNAL_MS) {
      system.killNow();
      process.exit(128 + constants.signals[signal]);
    }
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  if (runsUnderNpm) whenParentIsGone(() => onSignal('SIGHUP'));
}

/** npm, killed, or the shell between it and us passes no signal on; we would run on unseen. */
function whenParentIsGone(then: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    then();
  }, PARENT_POLL_INTERVAL_MS);
  timer.unref();
}
