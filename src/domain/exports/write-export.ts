/** Writes the file of one attempt into the file store, out of one snapshot of the database. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../../../db/connection.js';
import { copyOut, estimateRows, inSnapshot, type Snapshot } from '../../../db/copy-out.js';
import type { FileStore, PendingFile } from '../../platform/file-store.js';
import type { ExportBody } from './export-body.js';
import type { ExportSpec } from './export-spec.js';
import { type ExportSite, openExport } from './open-export.js';

export interface ExportServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** Told while a file is being written. */
export interface WriteListener {
  /** About how many rows there will be, and which process of Postgres writes them. */
  begun(estimate: number, backendPid: number): void;
}

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The file appears in the store, under `key`, only when it is whole.
 * @returns how many rows it has
 * @throws ExportRefused, what the database or the store raises, or the signal's reason
 */
export async function writeExport(
  { db, fileStore }: ExportServices,
  site: ExportSite,
  spec: ExportSpec,
  key: string,
  signal: AbortSignal,
  listener: WriteListener,
): Promise<number> {
  const pending = await fileStore.create(key);
  try {
    const rows = await inSnapshot(db, async (snapshot) => {
      const body = await openExport(snapshot.trx, site, spec);
      const { formatting } = spec;
      const head = `${formatting.bom ? BYTE_ORDER_MARK : ''}${body.header}`;
      const write = (source: Readable) => writeTo(pending, head, source, formatting.gzip, signal);
      return copyBody(db, snapshot, body, signal, listener, write);
    });
    signal.throwIfAborted();
    await pending.commit();
    return rows;
  } catch (error) {
    await pending.discard();
    throw error;
  }
}

async function copyBody(
  db: Db,
  snapshot: Snapshot,
  body: ExportBody,
  signal: AbortSignal,
  listener: WriteListener,
  write: (source: Readable) => Promise<void>,
): Promise<number> {
  if ('query' in body) {
    listener.begun(await estimateRows(snapshot, body.counted), snapshot.backendPid);
    return copyOut(snapshot, db, body.query, body.format, signal, write);
  }
  let rows = 0;
  async function* counted(lines: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const line of lines) {
      rows += 1;
      yield line;
    }
  }
  await write(Readable.from(counted(body.lines)));
  return rows;
}

function writeTo(
  { stream }: PendingFile,
  head: string,
  source: Readable,
  gzip: boolean,
  signal: AbortSignal,
): Promise<void> {
  const target = gzip ? createGzip() : stream;
  if (head !== '') target.write(head);
  return gzip ? pipeline(source, target, stream, { signal }) : pipeline(source, target, { signal });
}
