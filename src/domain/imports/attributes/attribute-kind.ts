/** Ingest of attributes, from files and from JSON. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import { parseAttributeRow } from '../../catalog/attributes/attribute-from-cells.js';
import type { AttributeAction } from '../../catalog/attributes/attribute-input.js';
import {
  type AttributeColumns,
  MAX_ATTRIBUTE_COLUMNS,
  resolveAttributeHeader,
} from '../../catalog/attributes/attribute-template.js';
import { parseAttributeInput } from '../../catalog/attributes/parse-attribute-input.js';
import type { WorkbookColumn } from '../../formats/xlsx/rows/workbook-column.js';
import type { ChunkResult } from '../../jobs/chunk-result.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { ImportOptions, WriteMode } from '../import-options.js';
import type { ApplyContext, IngestKind, SourceRows } from '../pipeline/ingest-kind.js';
import { applyAttributeRows, type ReadAttribute } from './apply-attribute-rows.js';

const ROWS_PER_LOOK = 50;

export interface AttributeJob {
  readonly siteId: number;
  readonly options: ImportOptions;
  /** Files say what is to become of their rows as a whole; elements of a request each have an action. */
  readonly fromFile: boolean;
}

const FILE_ACTIONS: Readonly<Record<WriteMode, AttributeAction>> = {
  insert: 'INSERT',
  upsert: 'UPSERT',
  update: 'UPDATE',
};

/** @param headerCells the header found by PLAN; null for JSON, and while planning */
export function attributeKind(job: AttributeJob, headerCells: readonly string[] | null): IngestKind<ReadAttribute[]> {
  const columns = headerCells === null ? null : resolveAttributeHeader(headerCells);
  const action = job.fromFile ? FILE_ACTIONS[job.options.mode] : undefined;
  return {
    limits: { maxColumns: MAX_ATTRIBUTE_COLUMNS },
    // A later row may rename what an earlier one made.
    ordered: true,
    // Requests are read in order, element by element: an attribute may be created and then updated in one.
    standing: job.options.mode === 'insert' ? 'first' : 'last',
    readHeader: (cells) => resolveAttributeHeader(cells).indexOf('Attribute Title'),
    workbookColumns: (cells) => {
      const column = fieldColumn(job.options.decimalSeparator ?? '.');
      return resolveAttributeHeader(cells).map(() => column);
    },
    keyOf: (element) => (job.fromFile ? nameOf(element) : null),
    normaliseKey: attributeKey,
    reserve: async () => ({}),
    read: (source) => readRows(source, columns, action, job.options.decimalSeparator),
    done: () => undefined,
    apply: (trx: Knex.Transaction, read: ReadAttribute[], context: ApplyContext): Promise<ChunkResult> =>
      applyAttributeRows(trx, job.siteId, read, {
        ...context,
        standing: job.options.mode === 'insert' ? 'first' : 'last',
        inColumns: columns !== null,
      }),
  };
}

async function readRows(
  source: SourceRows,
  columns: AttributeColumns | null,
  action: AttributeAction | undefined,
  decimalSeparator: '.' | ',' | undefined,
): Promise<ReadAttribute[]> {
  const read: ReadAttribute[] = [];
  for (const row of source.rows) {
    if (read.length % ROWS_PER_LOOK === 0) await breathe();
    if (row.problem !== null) {
      read.push({ row: row.row, key: null, outcome: [row.problem] });
      continue;
    }
    if ('cells' in row) {
      const header = headerOf(columns);
      const key = row.cells[header.indexOf('Attribute Title')]?.trim() || null;
      read.push({
        row: row.row,
        key,
        outcome: parseAttributeRow(header, row.cells, action ?? 'UPSERT', decimalSeparator),
      });
    } else {
      read.push({ row: row.row, key: nameOf(row.element), outcome: parseAttributeInput(row.element, action) });
    }
  }
  return read;
}

function headerOf(columns: AttributeColumns | null): AttributeColumns {
  if (columns === null) throw new Error('rows of a file cannot be read before its header');
  return columns;
}

/** Which fields are numbers or dates depends on the row's type; all are read from texts. */
function fieldColumn(decimalSeparator: '.' | ','): WorkbookColumn {
  return { kind: 'other', decimalSeparator, writeDate: (canonical) => canonical };
}

function nameOf(element: unknown): string | null {
  if (typeof element !== 'object' || element === null || !('name' in element)) return null;
  return typeof element.name === 'string' ? element.name : null;
}
