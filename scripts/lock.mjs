/** A lock between processes: a folder that names its holder and is taken over once the holder is gone. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;
/** A folder without a name in it after this long belongs to nobody: its maker was killed in between. */
const NAMELESS_MS = 5_000;

/** Runs `work` while holding the lock at `path`, waiting for it if need be. */
export async function withLock(path, say, work) {
  let told = false;
  while (!taken(path)) {
    if (isStale(path)) {
      takeAway(path);
      continue;
    }
    if (!told) say(`waiting for another command that is installing or building (process ${holder(path) ?? '?'})`);
    told = true;
    await delay(POLL_INTERVAL_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

function taken(path) {
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
    if (pid === undefined) return Date.now() - statSync(path).mtimeMs > NAMELESS_MS;
    process.kill(pid, 0);
    return pid === process.pid;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Renamed first: of two that find it stale at once, one does it. */
function takeAway(path) {
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
