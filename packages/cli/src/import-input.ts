/** What `longshore import` reads: a file, or standard input, of which a copy is kept until the import has ended. */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileSource } from '@longshore/client';
import { CommandError } from './failure.js';
import { whenInterrupted } from './interrupts.js';

/** What standard input is called, if nothing else was said. */
const STANDARD_INPUT_NAME = 'stdin.csv';

export interface ImportInput {
  /** As people know it. */
  readonly title: string;
  /** Beside which the error file is written, and after which it is named. */
  readonly path: string;
  readonly source: FileSource;
  /** Whether it was standard input, which is gone after the import: whoever pipes it has to be told at once. */
  readonly isPiped: boolean;
  /** The same for the same bytes from the same place. */
  readonly identity: readonly unknown[];
  /** Deletes what is not needed after the import. */
  discard(): void;
}

/**
 * @param name what the file is announced as, if not by its own name; its ending is the format
 * @throws CommandError when it cannot be read, or is empty
 */
export function openFile(path: string, name?: string): ImportInput {
  if (name !== undefined) requireName(name);
  try {
    const found = statSync(path);
    if (!found.isFile())
      throw new CommandError(
        `${path} is ${found.isDirectory() ? 'a folder' : 'no regular file'}: name a file with rows`,
      );
    requireContent(path, found.size);
    closeSync(openSync(path, 'r'));
    const source = sourceOf(path, name ?? basename(path), found.size);
    const identity = [realpathSync(path), found.size, found.mtimeMs, ...(name === undefined ? [] : [name])];
    return { title: path, path, source, isPiped: false, identity, discard: () => undefined };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${path} cannot be read: ${reasonOf(error)}`);
  }
}

/**
 * Copies standard input to a file, because an upload that is cut is sent again.
 * @param name of what was written there; its ending is the format
 * @throws CommandError when there is nothing to read
 */
export async function openStandardInput(name = STANDARD_INPUT_NAME): Promise<ImportInput> {
  const title = 'standard input';
  if (process.stdin.isTTY === true) {
    throw new CommandError('"-" is standard input, which is the terminal here: write rows to it, or name a file');
  }
  requireName(name);
  let folder: string | undefined;
  const remove = () => {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  };
  // Before there is anything to remove: a signal may come between any two statements.
  const settled = whenInterrupted(remove);
  folder = mkdtempSync(join(tmpdir(), 'longshore-import-'));
  const discard = () => {
    remove();
    settled();
  };
  try {
    const copy = join(folder, 'rows');
    const hash = createHash('sha256');
    const hashed = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        hash.update(chunk);
        done(null, chunk);
      },
    });
    await pipeline(process.stdin, hashed, createWriteStream(copy, { mode: 0o600 }));
    const { size } = statSync(copy);
    requireContent(title, size);
    const identity = [name, hash.digest('hex')];
    return { title, path: name, source: sourceOf(copy, name, size), isPiped: true, identity, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

function requireName(name: string): void {
  if (name !== basename(name) || name === '') throw new CommandError('--name is the name of a file, without a folder');
}

function requireContent(title: string, size: number): void {
  if (size === 0) throw new CommandError(`${title} is empty: its first line must name the columns`);
}

function sourceOf(path: string, name: string, size: number): FileSource {
  const { mtimeMs } = statSync(path);
  const read = (options?: { readonly start: number; readonly end: number }) =>
    Readable.toWeb(createReadStream(path, options)) as unknown as ReadableStream<Uint8Array>;
  return {
    name,
    size,
    open: () => read(),
    openRange: (start, end) => {
      if (statSync(path).mtimeMs !== mtimeMs) throw new CommandError(`${name} was changed while it was uploaded`);
      return read({ start, end: end - 1 });
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error && 'code' in error)) return String(error);
  if (error.code === 'ENOENT') return `there is no such file in ${process.cwd()}`;
  return error.code === 'EACCES' ? 'you are not allowed to read it' : error.message;
}
