/** The endpoint that writes what a job has changed, or would change, into a file. */
import { PassThrough, Readable } from 'node:stream';
import { z } from 'zod';
import {
  CHANGE_COLUMNS,
  type ChangeRow,
  changeCell,
  changeRows,
  requireSheetHolds,
} from '../../../domain/catalog/items/change-rows.js';
import { csvLine } from '../../../domain/formats/csv/csv-line.js';
import { writtenContentTypeOf } from '../../../domain/formats/file-format.js';
import { createXlsxWriter } from '../../../domain/formats/xlsx/create-xlsx-writer.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { changeFilter, chosenChanges } from '../../change-query.js';
import { defineRoute } from '../../define-route.js';
import { jobParams } from './params.js';

const BYTE_ORDER_MARK = '\uFEFF';

export const downloadJobChangesRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/changes/download',
  operationId: 'downloadJobChanges',
  family: 'files',
  tag: 'Changes',
  summary: 'Download what a job has changed of items, or what a dry run would have changed',
  description:
    'One row for each value that differs: SKU, Operation, Row, Attribute, Before, After. A created item is one row. CSV is in UTF-8 with a byte order mark. A workbook holds 1,048,575 rows: more are refused with 400 before it begins.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({ format: z.enum(['CSV', 'JSONL', 'XLSX']).default('CSV'), ...changeFilter }),
  responses: {
    200: {
      description: 'The file',
      schema: z.string(),
      contentType: writtenContentTypeOf({ format: 'CSV', gzip: false }),
    },
  },
  async handle({ params, query: { format, ...chosen }, site: { siteId } }, { db }) {
    const job = await findJob(db, siteId, params.id);
    const filter = await chosenChanges(db, siteId, chosen);
    if (format === 'XLSX') await requireSheetHolds(db, job.id, filter);
    const pages = changeRows(db, siteId, job.id, filter);
    return {
      status: 200,
      headers: {
        'Content-Type': writtenContentTypeOf({ format, gzip: false }),
        'Content-Disposition': `attachment; filename="changes-${job.id}.${format.toLowerCase()}"`,
      },
      stream: format === 'XLSX' ? workbookOf(pages) : Readable.from(format === 'CSV' ? csvOf(pages) : linesOf(pages)),
    };
  },
});

async function* csvOf(pages: AsyncIterable<ChangeRow[]>): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(CHANGE_COLUMNS, { delimiter: ',' })}\n`;
  for await (const rows of pages) {
    const lines = rows.map((row) => csvLine(cellsOf(row), { delimiter: ',', escapeFormulas: true }));
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

async function* linesOf(pages: AsyncIterable<ChangeRow[]>): AsyncGenerator<string> {
  for await (const rows of pages) if (rows.length > 0) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
}

/** A failure, such as a text that no cell holds, destroys the stream: the client sees that the file is cut. */
function workbookOf(pages: AsyncIterable<ChangeRow[]>): Readable {
  const sink = new PassThrough();
  const writer = createXlsxWriter(sink, { sheetName: 'Changes', header: [...CHANGE_COLUMNS] });
  const write = async (): Promise<void> => {
    for await (const rows of pages) {
      if (sink.destroyed) return;
      await writer.write(rows.map(cellsOf));
    }
    await writer.end();
  };
  write().catch((error: unknown) => sink.destroy(error instanceof Error ? error : new Error(String(error))));
  return sink;
}

function cellsOf({ sku, operation, row, attribute, before, after }: ChangeRow): string[] {
  return [sku, operation, row === null ? '' : String(row), attribute ?? '', changeCell(before), changeCell(after)];
}
