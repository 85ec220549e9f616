/** Writes a file to a server: under a temporary name first, so that nobody takes half of it. */
import { setMaxListeners } from 'node:events';
import type { Readable } from 'node:stream';
import { RemoteFailure } from '../remote-folder.js';
import type { Line } from './session.js';
import { FAILURE, statusOf } from './sftp-failure.js';

const CHUNK_BYTES = 32 * 1024;
const MOST_AHEAD = 8;

interface Target {
  readonly name: string;
  readonly path: string;
  readonly temporary: string;
}

/** @throws RemoteFailure; what the source fails with; the reason of the signal */
export async function writeFile(line: Line, target: Target, source: Readable, signal: AbortSignal): Promise<void> {
  const { name, temporary } = target;
  const what = `writing ${name}`;
  const handle = await line.open(what, signal, (sftp, done) => sftp.open(temporary, 'wx', done));
  // Each call that is on its way listens to it.
  setMaxListeners(0, signal);
  try {
    await writeAll(line, handle, what, source, signal);
    await sync(line, handle, what, signal);
    await line.call<void>(what, signal, (sftp, done) => sftp.close(handle, (error) => done(error)));
    await rename(line, target, signal);
  } catch (error) {
    source.destroy();
    // If the connection is lost, the temporary file stays: it is hidden, and no pattern takes it.
    if (line.isOpen) line.sftp.unlink(temporary, () => undefined);
    throw error;
  }
}

async function writeAll(
  line: Line,
  handle: Buffer,
  what: string,
  source: Readable,
  signal: AbortSignal,
): Promise<void> {
  const ahead: Promise<void>[] = [];
  let at = 0;
  for await (const chunk of source) {
    const bytes = Buffer.from(chunk as Buffer);
    for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
      const part = bytes.subarray(from, from + CHUNK_BYTES);
      const place = at;
      const written = line.call<void>(what, signal, (sftp, done) =>
        sftp.write(handle, part, 0, part.length, place, (error) => done(error)),
      );
      written.catch(() => undefined);
      ahead.push(written);
      at += part.length;
      if (ahead.length === MOST_AHEAD) await ahead.shift();
    }
  }
  await Promise.all(ahead);
}

/** Where the server can, so that what has its name is on its disk. */
async function sync(line: Line, handle: Buffer, what: string, signal: AbortSignal): Promise<void> {
  try {
    await line.call<void>(what, signal, (sftp, done) => sftp.ext_openssh_fsync(handle, (error) => done(error)));
  } catch (error) {
    if (line.isOpen && !signal.aborted && !(error instanceof RemoteFailure && error.isTransient)) return;
    throw error;
  }
}

async function rename(line: Line, { name, path, temporary }: Target, signal: AbortSignal): Promise<void> {
  const what = `renaming ${name}, which was written under a temporary name`;
  try {
    // It replaces the former file at once; a server without it throws before anything is sent.
    await line.call<void>(what, signal, (sftp, done) =>
      sftp.ext_openssh_rename(temporary, path, (error) => done(error)),
    );
    return;
  } catch (error) {
    if (error instanceof RemoteFailure || !line.isOpen) throw error;
  }
  const plain = () =>
    line.call<void>(what, signal, (sftp, done) => sftp.rename(temporary, path, (error) => done(error)));
  try {
    await plain();
  } catch (error) {
    // The plain rename replaces nothing. For a moment there is no file.
    if (statusOf(error) !== FAILURE) throw error;
    await line.call<void>(what, signal, (sftp, done) => sftp.unlink(path, (error) => done(error)));
    await plain();
  }
}
