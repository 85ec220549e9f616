/** Writes a whole stage as one archive, at bounded memory: its files stream into it one after another, from one snapshot. */
import { createHash, type Hash } from 'node:crypto';
import { PassThrough, Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import type { Db } from '../../../../db/connection.js';
import { copyOut, estimateRows, inSnapshot, type Snapshot } from '../../../../db/copy-out.js';
import type { FileStore } from '../../../platform/file-store.js';
import { cursorOfSnapshot, presentCursor } from '../../changes/feed.js';
import {
  ARCHIVE_FILES,
  ARCHIVE_FORMAT,
  type ArchivedFile,
  type ArchiveKind,
  MANIFEST_NAME,
  type Manifest,
} from '../../formats/site-archive.js';
import { LF } from '../../kernel/characters.js';
import { attributeExport } from '../attributes/export-attributes.js';
import { categoryExport } from '../categories/export-categories.js';
import { itemExport } from '../items/export-items.js';
import { ItemCatalog } from '../items/item-catalog.js';
import type { ExportFormatting } from '../model/export-spec.js';
import type { CopyBody, LinesBody } from '../write/export-body.js';
import { mappingLines, profileLines, serialLines, settingsLines, webhookLines } from './site-lines.js';

/** A fixed time, so that the bytes do not depend on the clock. It is in local time, as archives store it. */
const ENTRY = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true, mode: 0o100644, compressionLevel: 6 };
const BUFFERED_BYTES = 256 * 1024;

interface ArchiveServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** Is notified while the items are being written. See WriteListener. */
interface Listener {
  begun(estimate: number, backendPid: number): void;
}

/**
 * The archive appears in the store, under `key`, only when it is complete.
 * @returns how many rows its files have
 * @throws ExportRefused, what the database or the store raises, or the signal's reason
 */
export async function writeArchive(
  { db, fileStore }: ArchiveServices,
  { siteId, formatting }: { readonly siteId: number; readonly formatting: ExportFormatting },
  key: string,
  signal: AbortSignal,
  listener: Listener,
): Promise<number> {
  // Gives all that is committed by now its position, which a read-only snapshot cannot.
  await presentCursor(db, siteId);
  const pending = await fileStore.create(key);
  const abort = () => pending.stream.destroy();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const rows = await inSnapshot(db, async (snapshot) => {
      const archive = new ArchiveWriter(pending.stream);
      const files: ArchivedFile[] = [];
      for (const { kind, name } of ARCHIVE_FILES) {
        const source = await openFile(kind, snapshot, siteId, formatting);
        files.push({
          name,
          kind,
          ...(await archive.add(name, (sink) => write(db, snapshot, source, sink, signal, listener))),
        });
      }
      const createdAt = new Date().toISOString();
      const cursor = await cursorOfSnapshot(snapshot.trx, siteId);
      const manifest: Manifest = { format: ARCHIVE_FORMAT, createdAt, cursor, files };
      await archive.end(MANIFEST_NAME, `${JSON.stringify(manifest, null, 2)}\n`);
      return files.reduce((sum, file) => sum + file.rows, 0);
    });
    signal.throwIfAborted();
    await pending.commit();
    return rows;
  } catch (error) {
    await pending.discard();
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

type Source = CopyBody | LinesBody;

async function openFile(
  kind: ArchiveKind,
  { trx }: Snapshot,
  siteId: number,
  lines: ExportFormatting,
): Promise<Source> {
  switch (kind) {
    case 'attributes':
      return asLines(await attributeExport(trx, { siteId, date: null, match: {} }, lines));
    case 'mappings':
      return { lines: mappingLines(trx, siteId) };
    case 'serials':
      return { lines: serialLines(trx, siteId) };
    case 'categories':
      return asLines(await categoryExport(trx, { siteId, date: null, match: {} }, lines));
    case 'items': {
      const scope = { siteId, channel: null, date: null, match: { types: ['I', 'B'] } } as const;
      return asLines(itemExport(await ItemCatalog.load(trx, siteId), scope, null, lines, true));
    }
    case 'profiles':
      return { lines: profileLines(trx, siteId) };
    case 'settings':
      return { lines: settingsLines(trx, siteId) };
    case 'webhooks':
      return { lines: webhookLines(trx, siteId) };
  }
}

function asLines<Body extends object>(body: Body): Extract<Body, Source> {
  if ('lines' in body || 'head' in body) return body as Extract<Body, Source>;
  throw new Error('an export of JSON Lines has other rows');
}

async function write(
  db: Db,
  snapshot: Snapshot,
  source: Source,
  sink: Transform,
  signal: AbortSignal,
  listener: Listener,
): Promise<void> {
  if ('lines' in source) return pipeline(Readable.from(source.lines), sink, { signal });
  listener.begun(await estimateRows(snapshot, source.counted), snapshot.backendPid);
  await copyOut(snapshot, db, source.query, source.format, signal, (rows) => pipeline(rows, sink, { signal }));
}

/** Writes files into a zip one after another: each is complete before the next begins. */
class ArchiveWriter {
  readonly #zip = new ZipFile();
  readonly #done: Promise<void>;

  constructor(target: Writable) {
    this.#done = pipeline(this.#zip.outputStream, target);
    // The next file, or the end, reports a failure.
    this.#done.catch(() => undefined);
  }

  /** @param fill writes the file into the sink, and ends it */
  async add(
    name: string,
    fill: (sink: Transform) => Promise<void>,
  ): Promise<Pick<ArchivedFile, 'rows' | 'bytes' | 'sha256'>> {
    const meter = new Meter();
    const entry = new PassThrough({ highWaterMark: BUFFERED_BYTES });
    // Beyond 4 GiB a file has to say so before its first byte.
    this.#zip.addReadStream(entry, name, { ...ENTRY, forceZip64Format: true });
    const copied = pipeline(meter, entry);
    // When the store fails, nothing reads the entry any more, and the writers would wait for ever.
    const failed = this.#done.then(() => new Promise<never>(() => undefined));
    await Promise.race([Promise.all([fill(meter), copied]), failed]);
    return meter.figures();
  }

  async end(name: string, text: string): Promise<void> {
    this.#zip.addBuffer(Buffer.from(text), name, ENTRY);
    this.#zip.end();
    await this.#done;
  }
}

/** Passes bytes on, and notes what the manifest says of them. */
class Meter extends Transform {
  readonly #hash: Hash = createHash('sha256');
  #rows = 0;
  #bytes = 0;

  override _transform(block: Buffer, _: BufferEncoding, done: (error: null, block: Buffer) => void): void {
    this.#hash.update(block);
    this.#bytes += block.length;
    for (let at = block.indexOf(LF); at >= 0; at = block.indexOf(LF, at + 1)) this.#rows += 1;
    done(null, block);
  }

  figures(): Pick<ArchivedFile, 'rows' | 'bytes' | 'sha256'> {
    return { rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}
