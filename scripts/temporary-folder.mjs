/**
 * Gives a run of tests a folder in memory for its temporary files, where there is room: tests make and remove hundreds of
 * databases of six hundred files each (docs/decisions/0083-tests-in-memory.md).
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Linux has a file system in memory here. */
const MEMORY = '/dev/shm';
const TMPFS_MAGIC = 0x01021994;
const GIB = 2 ** 30;
/** A run of the whole suite has used 1.3 GiB there. As much again as the room should be left for the processes. */
const ROOM_BYTES = 4 * GIB;
const MEMORY_BYTES = 8 * GIB;

/**
 * Sets TMPDIR while `run` runs, unless it is set; removes the folder at the end.
 * @returns what `run` resolves with
 */
export async function withTemporaryFolder(run) {
  const folder = process.env.TMPDIR === undefined ? openFolder() : undefined;
  if (folder === undefined) return await run();
  process.env.TMPDIR = folder;
  try {
    return await run();
  } finally {
    delete process.env.TMPDIR;
    // A process that a failed test has left may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Undefined: there is no memory for it, or programs may not be executed there. */
function openFolder() {
  try {
    removeAbandoned();
    const { type, bavail, bsize } = statfsSync(MEMORY);
    if (type !== TMPFS_MAGIC || bavail * bsize < ROOM_BYTES || process.availableMemory() < MEMORY_BYTES)
      return undefined;
    const folder = mkdtempSync(join(MEMORY, `${PREFIX}${process.pid}-`));
    // As /tmp: Postgres runs as another user when root tests.
    chmodSync(folder, 0o1777);
    if (executes(folder)) return folder;
    rmSync(folder, { recursive: true });
  } catch {
    // The usual folder will do.
  }
  return undefined;
}

const PREFIX = 'longshore-tests-';
const UNUSED_MS = 3 * 3_600_000;

/** Folders of runs that were killed: they would hold memory until the machine is started again. */
function removeAbandoned() {
  for (const name of readdirSync(MEMORY)) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? [];
    const folder = join(MEMORY, name);
    // Processes of another container are not seen here.
    if (pid === undefined || isRunning(Number(pid)) || Date.now() - statSync(folder).mtimeMs < UNUSED_MS) continue;
    rmSync(folder, { recursive: true, force: true });
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function executes(folder) {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}
