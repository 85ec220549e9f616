/** Ctrl-C: what a command leaves tidy, and says, before the program ends. */
import { constants } from 'node:os';

type Signal = 'SIGINT' | 'SIGTERM';
const SIGNALS: readonly Signal[] = ['SIGINT', 'SIGTERM'];
/** What is done when a signal comes: the last that was added first. */
const undone: (() => void)[] = [];

function interrupted(signal: Signal): void {
  for (const undo of undone.splice(0).reverse()) undo();
  // As a shell reports a program that a signal has ended.
  process.exit(128 + constants.signals[signal]);
}

/**
 * Does something before Ctrl-C ends the program. It must not wait for anything.
 * @returns a function that says that it is not necessary any more
 */
export function whenInterrupted(undo: () => void): () => void {
  if (undone.length === 0) for (const signal of SIGNALS) process.on(signal, interrupted);
  undone.push(undo);
  return () => {
    const at = undone.indexOf(undo);
    if (at === -1) return;
    undone.splice(at, 1);
    if (undone.length === 0) for (const signal of SIGNALS) process.off(signal, interrupted);
  };
}
