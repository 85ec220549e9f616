/** Ends server processes that a killed launcher left running on a data folder, so that a new server can use it. */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, LaunchError } from '../launch-error.js';
import { listProcesses, processIdentity, type RunningProcess, sendSignal } from '../process-table.js';

const ORPHAN_POLL_INTERVAL_MS = 50;
/** The signals, the mildest first, and how long each may take. */
const ESCALATION = [
  { signal: 'SIGINT', withinMs: 10_000 },
  { signal: 'SIGQUIT', withinMs: 5_000 },
  { signal: 'SIGKILL', withinMs: 5_000 },
] as const;

/** The name in the command line of all processes of the cluster in this folder. */
export function clusterName(cluster: string): string {
  return `longshore-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`;
}

/** Ends every server process of this cluster and removes its pid file. The caller must hold the lock of DATA_DIR. */
export async function endOrphans(cluster: string, say: (line: string) => void): Promise<void> {
  const name = clusterName(cluster);
  if (findOrphans(name).length > 0) say('ending a Postgres that an earlier run left behind');
  for (const { signal, withinMs } of ESCALATION) {
    const orphans = findOrphans(name);
    const main = orphans.find(isPostmaster);
    // Without the main process, the others need not end in order.
    signalAll(main === undefined ? orphans : [main], main === undefined ? 'SIGKILL' : signal, cluster);
    if (await allGone(name, withinMs)) break;
  }
  if (findOrphans(name).length > 0) {
    throw new LaunchError(
      `An earlier Postgres still runs on ${cluster} and cannot be ended: end its processes ("${name}") yourself.`,
    );
  }
  // No process of this cluster runs. A pid in this file now belongs to another program, and would prevent the start.
  rmSync(join(cluster, 'postmaster.pid'), { force: true });
}

function findOrphans(name: string): RunningProcess[] {
  return listProcesses().filter(({ pid, command }) => {
    const [program = ''] = command.split(' ');
    const isServer = program === 'postgres:' || basename(program) === 'postgres';
    return isServer && command.includes(name) && processIdentity(pid) !== undefined;
  });
}

function isPostmaster({ command }: RunningProcess): boolean {
  return !command.startsWith('postgres:');
}

function signalAll(processes: readonly RunningProcess[], signal: NodeJS.Signals, cluster: string): void {
  for (const { pid } of processes) {
    try {
      sendSignal(pid, signal);
    } catch (error) {
      if (!hasCode(error, 'EPERM')) throw error;
      throw new LaunchError(
        `A Postgres of another user (process ${pid}) runs on ${cluster}: end it, or set DATA_DIR to another folder.`,
      );
    }
  }
}

async function allGone(name: string, withinMs: number): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; await delay(ORPHAN_POLL_INTERVAL_MS)) {
    if (findOrphans(name).length === 0) return true;
  }
  return false;
}
