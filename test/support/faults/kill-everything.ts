/** Kills a whole installation at one stroke: launcher, API, workers, and Postgres with all its processes. */
import { sendSignal } from '../../../src/launcher/process-table.js';
import type { StartProcess } from '../worlds/launcher-process.js';
import { childrenOf, untilGone } from '../worlds/processes.js';

export interface Stroke {
  /** Kills all that ran when the stroke was prepared. Resolves when the last is gone. */
  fall(): Promise<void>;
}

/** Finds everybody first, so that nothing comes between the first kill and the last. */
export function prepareStroke({ process: launcher }: StartProcess): Stroke {
  const root = launcher.pid;
  if (root === undefined) throw new Error('the launcher does not run');
  const pids = [root, ...descendantsOf(root)];
  return {
    fall: async () => {
      for (const pid of pids) sendSignal(pid, 'SIGKILL');
      await Promise.all(pids.map((pid) => untilGone(pid, 10_000)));
    },
  };
}

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child.pid, ...descendantsOf(child.pid)]);
}
