/** How the program ends before its work is done: Ctrl-C, a closed terminal, a reader of its output that has left. */
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type Undo = () => void | Promise<void>;
/** What is done when a signal comes: the last that was added first. */
const undone: Undo[] = [];

function interrupted(signal: NodeJS.Signals): void {
  // As a shell reports a program that a signal has ended.
  endProgram(128 + constants.signals[signal]);
}

/** Ends the program, after it has left everything tidy. Called again, it ends at once. */
export function endProgram(exitCode: number): void {
  const waits = undone
    .splice(0)
    .reverse()
    .map((undo) => undo())
    .filter((wait) => wait !== undefined);
  if (waits.length === 0) process.exit(exitCode);
  void Promise.allSettled(waits).then(() => process.exit(exitCode));
}

/**
 * Does something before the program is ended by Ctrl-C, by a closed terminal or by a closed pipe. What it waits for must
 * have a time limit. A second Ctrl-C does not wait for it.
 * @returns a function that says that it is not necessary any more
 */
export function whenInterrupted(undo: Undo): () => void {
  // Signals that come while the last one is being handled are still handled here, and end the program.
  for (const signal of SIGNALS) if (!process.listeners(signal).includes(interrupted)) process.on(signal, interrupted);
  undone.push(undo);
  return () => {
    const at = undone.indexOf(undo);
    if (at === -1) return;
    undone.splice(at, 1);
    if (undone.length === 0) for (const signal of SIGNALS) process.off(signal, interrupted);
  };
}
