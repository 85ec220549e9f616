/** Writes files that the API sends, complete or not at all, and never over a file of the user. */
import { createWriteStream, existsSync, rmSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CommandError } from './failure.js';
import { whenInterrupted } from './interrupts.js';
import { note } from './terminal.js';

const ENDING = /(\.(csv|tsv|xlsx|ods|jsonl|ndjson|json|xml))?(\.gz)?$/i;

/**
 * A free name beside a file: `items.csv` → `items.errors.csv`, or `items.errors-2.csv` if that exists, because the user
 * may be correcting it.
 * @param remoteName the name of the file that is written; its ending is kept
 */
export function freeNameBeside(path: string, infix: string, remoteName: string): string {
  const stem = basename(path)
    .replace(ENDING, '')
    .replace(new RegExp(`\\${infix}(-\\d+)?$`), '');
  const ending = ENDING.exec(basename(remoteName))?.[0] ?? '';
  for (let number = 1; ; number++) {
    const target = join(dirname(path), `${stem}${infix}${number === 1 ? '' : `-${number}`}${ending}`);
    if (!existsSync(target)) return target;
  }
}

/** @throws CommandError when a file cannot be written there, or there is one already */
export function requireFree(path: string, force: boolean): void {
  const folder = dirname(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new CommandError(`${path} cannot be written: there is no folder ${folder}`);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new CommandError(`${path} is a folder: name a file with -o`);
  if (found !== undefined && !force)
    throw new CommandError(`${path} exists: choose another with -o, or replace it with --force`);
}

/** Writes an answer to a file that appears when it is complete. */
export function writeFile(path: string, response: Response): Promise<void> {
  return complete(path, (draft) => pipeline(bytesOf(response), createWriteStream(draft)));
}

/**
 * Has a file written under another name, and gives it its own when it is complete. Otherwise nothing is left.
 * @param write writes the file at the path that it is given
 */
export async function complete<T>(path: string, write: (draft: string) => Promise<T>): Promise<T> {
  const draft = `${path}.part`;
  const written = whenInterrupted(() => {
    rmSync(draft, { force: true });
    note(`${path} was not written.`);
  });
  try {
    const result = await write(draft);
    await rename(draft, path);
    return result;
  } catch (error) {
    await rm(draft, { force: true });
    // An error of writing, such as that of a full disk, names no file.
    if (error instanceof Error && 'syscall' in error && !('path' in error)) Object.assign(error, { path });
    throw error;
  } finally {
    written();
  }
}

/** The body of an answer, byte for byte. */
export function bytesOf(response: Response): Readable {
  return response.body === null ? Readable.from([]) : Readable.fromWeb(response.body as never);
}

/** Standard output as a stream whose end does not close it. */
export function keptOpen(output: NodeJS.WriteStream): Writable {
  return new Writable({ write: (chunk: Uint8Array, _, done) => void output.write(chunk, done) });
}
