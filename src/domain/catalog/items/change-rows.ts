/** The changes of items by a job as rows of a file: one for each value that differs. */
import type { Db } from '../../../../db/connection.js';
import type { ChangeFilter } from '../../changes/change-entry.js';
import { countJobChanges, pageJobChanges } from '../../changes/job-changes.js';
import { MAX_SHEET_ROWS } from '../../formats/xlsx/cell.js';
import { DomainError } from '../../kernel/errors.js';
import { nameChanges } from './named-changes.js';

/** The changes that are read at a time. */
const PAGE = 1_000;

export const CHANGE_COLUMNS = ['SKU', 'Operation', 'Row', 'Attribute', 'Before', 'After'] as const;

export interface ChangeRow {
  readonly sku: string;
  readonly operation: string;
  /** The row of the input that it comes from. */
  readonly row: number | null;
  /** The attribute, or the field; null for a created item, which has no values before. */
  readonly attribute: string | null;
  /** Undefined: there was none. */
  readonly before: unknown;
  /** Undefined: there is none. */
  readonly after: unknown;
}

/** Yields the rows a page at a time, in the order of the changes. */
export async function* changeRows(
  db: Db,
  siteId: number,
  jobId: string,
  filter: ChangeFilter,
): AsyncGenerator<ChangeRow[]> {
  for (let after: string | undefined; ; ) {
    const page = await pageJobChanges(db, jobId, { ...filter, kinds: ['item'] }, { limit: PAGE, after });
    const named = await nameChanges(db, siteId, page.entries);
    yield named.flatMap(({ entry: { sku, operation, row }, attributes, fields }): ChangeRow[] => {
      const values = [...Object.entries(attributes), ...Object.entries(fields)];
      if (values.length === 0) return [{ sku, operation, row, attribute: null, before: undefined, after: undefined }];
      return values.map(([attribute, { before, after: now }]) => ({
        sku,
        operation,
        row,
        attribute,
        before,
        after: now,
      }));
    });
    if (page.next === null) return;
    after = page.next;
  }
}

/** @throws DomainError invalid: a sheet does not hold the rows that changeRows yields, besides its header */
export async function requireSheetHolds(
  db: Db,
  jobId: string,
  filter: ChangeFilter,
  most: number = MAX_SHEET_ROWS - 1,
): Promise<void> {
  const rows = await countJobChanges(db, jobId, { ...filter, kinds: ['item'] });
  if (rows <= most) return;
  const message = `the changes are ${rows.toLocaleString('en')} rows, and a sheet holds ${most.toLocaleString('en')} besides its header: use the format CSV or JSONL, or choose fewer changes`;
  throw new DomainError('invalid', 'TOO_MANY_ROWS', message);
}

/** A value as a cell: lists and other documents are JSON. */
export function changeCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
