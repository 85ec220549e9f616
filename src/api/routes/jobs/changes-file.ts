/** The endpoint that writes what a job has changed, or would change, into a file. */
import { PassThrough, Readable } from 'node:stream';
import { z } from 'zod';
import {
  type ChangeRows,
  changeCells,
  changeColumns,
  changeRows,
  requireSheetHolds,
} from '../../../domain/catalog/items/change-rows.js';
import { csvLine } from '../../../domain/formats/csv/csv-line.js';
import { writtenContentTypeOf } from '../../../domain/formats/file-format.js';
import { MAX_CELL_CHARACTERS } from '../../../domain/formats/xlsx/cell.js';
import { createXlsxWriter } from '../../../domain/formats/xlsx/create-xlsx-writer.js';
import { findJob } from '../../../domain/jobs/read-job.js';
import { chosenJobChanges, jobChangeFilter } from '../../change-query.js';
import { defineRoute } from '../../define-route.js';
import { jobParams } from './params.js';

const BYTE_ORDER_MARK = '\uFEFF';

export const downloadJobChangesRoute = defineRoute({
  method: 'GET',
  path: '/jobs/:id/changes/download',
  operationId: 'downloadJobChanges',
  family: 'files',
  tag: 'Changes',
  summary: 'Download what a job has changed, or what a dry run would have changed',
  description:
    'One row for each value that differs: SKU, Operation, Row, Attribute, Before, After. A created item is one row. If definitions were changed, or import profiles, settings and webhook definitions, they come first, one row for each property that differs, and the columns Kind and Definition stand before the others; Attribute is the property. In JSONL such a row has kind, definition and property. CSV is in UTF-8 with a byte order mark. A workbook holds 1,048,575 rows: more are refused with 400 before it begins.',
  auth: { scope: 'catalog:read' },
  siteContext: true,
  params: jobParams,
  query: z.strictObject({ format: z.enum(['CSV', 'JSONL', 'XLSX']).default('CSV'), ...jobChangeFilter }),
  responses: {
    200: {
      description: 'The file',
      schema: z.string(),
      contentType: writtenContentTypeOf({ format: 'CSV', gzip: false }),
    },
  },
  async handle({ params, query: { format, ...chosen }, site, principal }, { db }) {
    const { siteId } = site;
    const job = await findJob(db, siteId, params.id);
    const filter = await chosenJobChanges(db, { principal, site }, chosen);
    if (format === 'XLSX') await requireSheetHolds(db, siteId, job.id, filter);
    const rows = await changeRows(db, siteId, job.id, filter);
    return {
      status: 200,
      headers: {
        'Content-Type': writtenContentTypeOf({ format, gzip: false }),
        'Content-Disposition': `attachment; filename="changes-${job.id}.${format.toLowerCase()}"`,
      },
      stream: format === 'XLSX' ? workbookOf(rows) : Readable.from(format === 'CSV' ? csvOf(rows) : linesOf(rows)),
    };
  },
});

async function* csvOf({ hasDefinitions, pages }: ChangeRows): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(changeColumns(hasDefinitions), { delimiter: ',' })}\n`;
  for await (const rows of pages) {
    const lines = rows.map((row) =>
      csvLine(changeCells(row, hasDefinitions), { delimiter: ',', escapeFormulas: true }),
    );
    if (lines.length > 0) yield `${lines.join('\n')}\n`;
  }
}

async function* linesOf({ pages }: ChangeRows): AsyncGenerator<string> {
  for await (const rows of pages) if (rows.length > 0) yield `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`;
}

/** A failure, such as a text that no cell holds, destroys the stream: the client sees that the file is cut. */
function workbookOf({ hasDefinitions, pages }: ChangeRows): Readable {
  const sink = new PassThrough();
  const writer = createXlsxWriter(sink, { sheetName: 'Changes', header: changeColumns(hasDefinitions) });
  const write = async (): Promise<void> => {
    for await (const rows of pages) {
      if (sink.destroyed) return;
      await writer.write(rows.map((row) => changeCells(row, hasDefinitions).map(fitting)));
    }
    await writer.end();
  };
  write().catch((error: unknown) => sink.destroy(error instanceof Error ? error : new Error(String(error))));
  return sink;
}

/** A list of options or a text may be longer than a cell may be. */
function fitting(cell: string): string {
  return cell.length <= MAX_CELL_CHARACTERS ? cell : `${cell.slice(0, MAX_CELL_CHARACTERS - CUT.length)}${CUT}`;
}

const CUT = ' … (cut: CSV and JSONL have all of it)';
