/** When a process has ended. */
import type { ChildProcess } from 'node:child_process';
import { processIdentity } from '../../../src/launcher/process-table.js';
import { until } from '../until.js';

/** Whether our own child has. */
export function ended(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/** Resolves when a process that is nobody's child of ours has. @throws when it has not within `withinMs` */
export async function untilGone(pid: number, withinMs: number): Promise<void> {
  await until(`process ${pid} has ended`, () => processIdentity(pid) === undefined, withinMs);
}
