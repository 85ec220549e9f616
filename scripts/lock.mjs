/** A lock between processes: a folder that names its holder. When the holder has ended, another process may take it. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;
/** A folder without a pid after this time is stale, because its creator was killed before it wrote the pid. */
const WITHOUT_PID_MS = 5_000;

/** Waits for the lock at `path`, and runs `work` while holding it. */
export async function withLock(path, say, work) {
  let announced = false;
  while (!acquired(path)) {
    if (isStale(path)) {
      removeStale(path);
      continue;
    }
    if (!announced) say(`waiting for another command that is installing or building (process ${holder(path) ?? '?'})`);
    announced = true;
    await delay(POLL_INTERVAL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function acquired(path) {
  try {
    mkdirSync(path);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
  writeFileSync(join(path, 'pid'), String(process.pid));
  return true;
}

function isStale(path) {
  const pid = holder(path);
  try {
    if (pid === undefined) return Date.now() - statSync(path).mtimeMs > WITHOUT_PID_MS;
    process.kill(pid, 0);
    return pid === process.pid;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** The folder is renamed first, so that only one of two processes removes it. */
function removeStale(path) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    rmSync(aside, { recursive: true, force: true });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}

function holder(path) {
  try {
    return Number(readFileSync(join(path, 'pid'), 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}
