/**
 * Executes a step in a process of its own, in which nothing else runs. A worker that ended during a step may have ended
 * because of it: there it can end no other step, and its end is seen by a process that lives. If the worker or its host
 * ends, the process ends with it, and nothing is concluded.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.js';
import type { Failure } from '../domain/jobs/model/failure.js';
import type { queues } from '../queues/index.js';

/** What the process is sent: all that it needs to execute one step. */
export interface LoneStep {
  readonly config: Config;
  readonly queue: keyof typeof queues;
  readonly payload: unknown;
  /** See Handler.run. */
}

/** What the process is sent when the step shall stop: it removes what it has half written. */
export const STOP = 'stop';

/** What the process answers: that the step begins, and how it ended. */
export type LoneAnswer =
  | { readonly kind: 'begins' }
  | { readonly kind: 'done' }
  | { readonly kind: 'snoozed'; readonly delayMs: number }
  | { readonly kind: 'threw'; readonly message: string; readonly failure: Failure };

/** How a step ended; `died`: its process ended in the middle of it. */
type LoneEnd = Exclude<LoneAnswer, { kind: 'begins' }> | { readonly kind: 'died'; readonly how: string };

/** The descriptor by which the process learns of this one's end. */
export const LIFELINE = 4;

const PROGRAM = fileURLToPath(new URL('../../app/workers/lone-step.js', import.meta.url));

/** Signals by which people and supervisors end processes: no step is the reason. */
const ORDERLY: readonly (NodeJS.Signals | null)[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

/** A step that computes, or that a file store holds up, does not see that it shall stop. */
const STOPPED_WITHIN_MS = 1_000;

/**
 * @param signal stops the step, and ends the process at the latest after a second
 * @throws when the signal aborts, or the process ended before the step began or by an orderly signal
 */
export function runAlone(step: LoneStep, signal: AbortSignal): Promise<LoneEnd> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    // Without this process's own flags: the launcher's lifeline is no open file there.
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'] as const;
    const child = fork(PROGRAM, [], { serialization: 'advanced', execArgv: [], stdio: [...stdio] });
    // Nothing is sent: see loop-guard.ts.
    child.stdio[LIFELINE]?.on('error', () => undefined);
    let last: LoneAnswer | undefined;
    const kill = () => child.kill('SIGKILL');
    const stop = () => {
      const overdue = setTimeout(kill, STOPPED_WITHIN_MS);
      child.once('exit', () => clearTimeout(overdue));
      child.send(STOP, (error) => {
        if (error !== null) kill();
      });
    };
    signal.addEventListener('abort', stop, { once: true });
    child.on('message', (answer: LoneAnswer) => {
      // What a step throws that was stopped says nothing about the step.
      if (answer.kind !== 'threw' || !signal.aborted) last = answer;
      if (answer.kind === 'begins') return;
      // It has closed its connections. Where the file store hangs, it could not exit.
      kill();
      if (answer === last) resolve(answer);
    });
    child.on('error', reject);
    child.on('exit', (code, killed) => {
      signal.removeEventListener('abort', stop);
      if (last !== undefined && last.kind !== 'begins') resolve(last);
      else if (signal.aborted) reject(new Error(String(signal.reason)));
      else if (last === undefined || ORDERLY.includes(killed)) {
        reject(new Error(`a process for one step ended (${killed ?? code}), and the step is not the reason`));
      } else resolve({ kind: 'died', how: killed ?? `exit code ${code}` });
    });
    child.send(step, (error) => {
      if (error !== null) kill();
    });
  });
}
