/** Writes the file of one attempt into the file store, from one snapshot of the database. */

import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Db } from '../../../../db/connection.js';
import { copyOut, estimateRows, inSnapshot, type Snapshot } from '../../../../db/copy-out.js';
import { copyTextRows } from '../../../../db/copy-text.js';
import type { ErrorSummaryLine } from '../../../../db/models/job.js';
import type { FileStore } from '../../../platform/file-store.js';
import { storeFile } from '../../../platform/store-file.js';
import { csvLine } from '../../formats/csv/csv-line.js';
import type { Cell } from '../../formats/xlsx/cell.js';
import { writtenFormat } from '../model/export-format.js';
import type { ExportFormatting, ExportSpec } from '../model/export-spec.js';
import { writeArchive } from '../site/write-archive.js';
import type {
  ColumnsBody,
  CopyBody,
  LinesBody,
  MappedBody,
  MappedRecordsBody,
  MappedRows,
  RecordsBody,
  WorkbookBody,
} from '../write/export-body.js';
import { mappedCells, mappedText } from '../write/mapped-text.js';
import { writeColumns } from '../write/write-columns.js';
import { writeWorkbook } from '../write/write-workbook.js';
import { type ExportSite, openExport } from './open-export.js';
import { whyWhole } from './why-whole.js';

export interface WriteServices {
  readonly db: Db;
  readonly fileStore: FileStore;
}

/** Is notified while a file is being written. */
interface WriteListener {
  /** @param estimate the approximate number of rows @param backendPid the Postgres process that writes them */
  begun(estimate: number, backendPid: number): void;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** What was written. */
export interface WrittenFile {
  readonly rows: number;
  /** Records of which the file has no row, because a profile cannot write them or leaves them out. */
  readonly leftOut: number;
  readonly warnings: readonly ErrorSummaryLine[] | null;
  /** Why it is whole, though only what has changed was asked for; null: it was not, or it has only that. */
  readonly whyWhole: string | null;
}

type Rows = Omit<WrittenFile, 'whyWhole'>;

/**
 * The file appears in the store, under `key`, only when it is complete.
 * @throws ExportRefused, what the database or the store raises, or the signal's reason
 */
export async function writeExport(
  { db, fileStore }: WriteServices,
  site: ExportSite,
  spec: ExportSpec,
  key: string,
  signal: AbortSignal,
  listener: WriteListener,
): Promise<WrittenFile> {
  if (spec.entity === 'site') {
    const stage = { siteId: site.siteId, formatting: spec.formatting };
    return { ...allRows(await writeArchive({ db, fileStore }, stage, key, signal, listener)), whyWhole: null };
  }
  return storeFile(fileStore, key, async (stream) => {
    const written = await inSnapshot(db, async (snapshot): Promise<WrittenFile> => {
      const why = await whyWhole(snapshot.trx, site.siteId, spec);
      const body = await openExport(snapshot.trx, site, spec, why === null ? spec.since : undefined);
      const sink = { stream, formatting: spec.formatting, signal };
      return { ...(await writeBody(db, snapshot, body, sink, listener)), whyWhole: why };
    });
    signal.throwIfAborted();
    return written;
  });
}

async function writeBody(
  db: Db,
  snapshot: Snapshot,
  body: Awaited<ReturnType<typeof openExport>>,
  sink: Sink,
  listener: WriteListener,
): Promise<Rows> {
  if ('batches' in body) return writeMappedRecords(body, sink);
  if (!('query' in body)) return allRows(await writeRecords(body, sink));
  listener.begun(await estimateRows(snapshot, body.counted), snapshot.backendPid);
  if ('rows' in body) return writeMapped(db, snapshot, body, sink);
  if ('parquet' in body) return writeParquet(db, snapshot, body, sink);
  return allRows(await writeQuery(db, snapshot, body, sink));
}

function allRows(rows: number): Rows {
  return { rows, leftOut: 0, warnings: null };
}

async function writeMapped(db: Db, snapshot: Snapshot, body: MappedBody, sink: Sink): Promise<Rows> {
  const { rows } = body;
  const found = await copyOut(snapshot, db, body.query, 'text', sink.signal, (bytes) =>
    writeByProfile(rows, copyTextRows(bytes), sink),
  );
  return { rows: rows.count, leftOut: found - rows.count, warnings: rows.warnings() };
}

async function writeParquet(db: Db, snapshot: Snapshot, body: ColumnsBody, sink: Sink): Promise<Rows> {
  let warnings: Rows['warnings'] = null;
  const rows = await copyOut(snapshot, db, body.query, 'text', sink.signal, async (bytes) => {
    warnings = await writeColumns(sink.stream, body.parquet, copyTextRows(bytes), sink.signal);
  });
  return { ...allRows(rows), warnings };
}

async function writeMappedRecords({ rows, batches }: MappedRecordsBody, sink: Sink): Promise<Rows> {
  let found = 0;
  async function* counted() {
    for await (const batch of batches) {
      found += batch.length;
      yield batch;
    }
  }
  await writeByProfile(rows, counted(), sink);
  return { rows: rows.count, leftOut: found - rows.count, warnings: rows.warnings() };
}

async function writeByProfile(
  rows: MappedRows,
  batches: AsyncIterable<readonly (readonly (string | null)[])[]>,
  sink: Sink,
): Promise<void> {
  const { format, bom } = sink.formatting;
  if (writtenFormat(format).exports !== 'workbook') {
    return writeText('', Readable.from(mappedText(rows, batches, bom)), { ...sink, isEncoded: true });
  }
  const { sheet: sheetName, headerRow } = rows.format;
  const header = rows.header.map((title) => ({ title, format: 'text' as const }));
  const place = { sheetName, rowsAbove: headerRow - 1 };
  await writeWorkbook(sink.stream, header, mappedCells(rows, batches), sink.signal, place);
}

interface Sink {
  readonly stream: Writable;
  readonly formatting: ExportFormatting;
  readonly signal: AbortSignal;
  /** Whether the source has the bytes of the file, with its byte order mark. */
  readonly isEncoded?: boolean;
}

/** @returns how many rows there were */
function writeQuery(db: Db, snapshot: Snapshot, body: CopyBody | WorkbookBody, sink: Sink): Promise<number> {
  const { signal } = sink;
  if ('head' in body) {
    return copyOut(snapshot, db, body.query, body.format, signal, (rows) => writeText(body.head, rows, sink));
  }
  const header = body.columns.map(({ column }) => column);
  return copyOut(snapshot, db, body.query, 'text', signal, (rows) =>
    writeWorkbook(sink.stream, header, workbookRows(body, rows), signal),
  );
}

async function* workbookRows({ columns }: WorkbookBody, bytes: Readable): AsyncGenerator<Cell[][]> {
  for await (const rows of copyTextRows(bytes)) {
    yield rows.map((row) => columns.map(({ cell }, index) => cellOf(row[index] ?? null, cell)));
  }
}

function cellOf(text: string | null, read: (text: string) => Cell): Cell {
  return text === null ? null : read(text);
}

/** @returns how many records there were */
async function writeRecords(body: RecordsBody | LinesBody, sink: Sink): Promise<number> {
  const { formatting, signal, stream } = sink;
  let rows = 0;
  async function* counted<T>(records: AsyncIterable<T>): AsyncGenerator<T> {
    for await (const record of records) {
      rows += 1;
      yield record;
    }
  }
  if ('lines' in body) {
    await writeText('', Readable.from(counted(body.lines)), sink);
  } else if (writtenFormat(formatting.format).exports === 'columns') {
    const columns = body.header.map((title) => ({ title, type: 'text' as const }));
    await writeColumns(stream, columns, inPieces(counted(body.records)), signal);
  } else if (writtenFormat(formatting.format).exports === 'workbook') {
    await writeWorkbook(sink.stream, body.header, oneByOne(counted(body.records), body.cellsOf), signal);
  } else {
    const head = `${csvLine(body.header, formatting)}\n`;
    await writeText(head, Readable.from(csvLines(counted(body.records), formatting)), sink);
  }
  return rows;
}

async function* oneByOne(
  records: AsyncIterable<readonly string[]>,
  cellsOf: RecordsBody['cellsOf'] = (record) => record,
): AsyncGenerator<(readonly Cell[])[]> {
  for await (const record of records) yield [cellsOf(record)];
}

async function* inPieces(records: AsyncIterable<readonly string[]>): AsyncGenerator<readonly (readonly string[])[]> {
  for await (const record of records) yield [record];
}

async function* csvLines(
  records: AsyncIterable<readonly string[]>,
  formatting: ExportFormatting,
): AsyncGenerator<string> {
  for await (const record of records) yield `${csvLine(record, formatting)}\n`;
}

function writeText(head: string, source: Readable, { stream, formatting, signal, isEncoded }: Sink): Promise<void> {
  const target = formatting.gzip ? createGzip() : stream;
  const start = `${formatting.bom && isEncoded !== true ? BYTE_ORDER_MARK : ''}${head}`;
  if (start !== '') target.write(start);
  return formatting.gzip ? pipeline(source, target, stream, { signal }) : pipeline(source, target, { signal });
}
