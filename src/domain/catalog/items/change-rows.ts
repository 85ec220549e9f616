/** The changes of a job as rows of a file: one for each value that differs, those of definitions and of what is around them first. */
import type { Db } from '../../../../db/connection.js';
import { CHANGE_KINDS, type ChangeFilter, type ChangeKind } from '../../changes/change-entry.js';
import { countJobChanges, pageJobChanges } from '../../changes/job-changes.js';
import { MAX_SHEET_ROWS } from '../../formats/xlsx/cell.js';
import { DomainError } from '../../kernel/errors.js';
import { definitionValues } from './definition-values.js';
import { type NamedChange, nameChanges } from './named-changes.js';

/** The changes that are read at a time: definitions may have thousands of options each. */
const PAGE = 1_000;
const PAGE_OF_DEFINITIONS = 100;

const ITEMS: readonly ChangeKind[] = ['item'];
const DEFINITIONS = CHANGE_KINDS.filter((kind) => kind !== 'item');

interface ItemChangeRow {
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

interface DefinitionChangeRow extends Pick<ItemChangeRow, 'operation' | 'before' | 'after'> {
  /** Such as `attribute`. */
  readonly kind: string;
  /** What the definition is called. */
  readonly definition: string;
  /** Null: nothing that people see differs. */
  readonly property: string | null;
}

export type ChangeRow = ItemChangeRow | DefinitionChangeRow;

export interface ChangeRows {
  /** Whether any row is that of a definition. */
  readonly hasDefinitions: boolean;
  /** A page at a time: definitions, then items, both in the order of the changes. */
  readonly pages: AsyncIterable<ChangeRow[]>;
}

/** Reads the first page, so that it is known what the rows are of. */
export async function changeRows(db: Db, siteId: number, jobId: string, filter: ChangeFilter): Promise<ChangeRows> {
  const definitions = definitionRows(db, siteId, jobId, filter);
  const first = (await definitions.next()).value ?? [];
  async function* pages(): AsyncGenerator<ChangeRow[]> {
    yield first;
    yield* definitions;
    yield* itemRows(db, siteId, jobId, filter);
  }
  return { hasDefinitions: first.length > 0, pages: pages() };
}

async function* itemRows(
  db: Db,
  siteId: number,
  jobId: string,
  filter: ChangeFilter,
): AsyncGenerator<ItemChangeRow[], undefined> {
  for await (const changes of namedPages(db, siteId, jobId, ofItems(filter), PAGE)) {
    yield changes.flatMap(({ entry: { sku, operation, row }, attributes, fields }): ItemChangeRow[] => {
      const values = [...Object.entries(attributes), ...Object.entries(fields)];
      if (values.length === 0) return [{ sku, operation, row, attribute: null, before: undefined, after: undefined }];
      return values.map(([attribute, { before, after }]) => ({ sku, operation, row, attribute, before, after }));
    });
  }
}

async function* definitionRows(
  db: Db,
  siteId: number,
  jobId: string,
  filter: ChangeFilter,
): AsyncGenerator<DefinitionChangeRow[], undefined> {
  const chosen = chosenAmong(DEFINITIONS, filter);
  for await (const changes of namedPages(db, siteId, jobId, chosen, PAGE_OF_DEFINITIONS)) {
    yield changes.flatMap(({ entry: { kind, operation }, definition }): DefinitionChangeRow[] => {
      if (definition === null) return [];
      const { name } = definition;
      const values = definitionValues(kind, definition);
      const all = values.length > 0 ? values : [{ property: null, before: undefined, after: undefined }];
      return all.map(({ property, before, after }) => ({ kind, definition: name, operation, property, before, after }));
    });
  }
}

async function* namedPages(
  db: Db,
  siteId: number,
  jobId: string,
  filter: ChangeFilter,
  limit: number,
): AsyncGenerator<NamedChange[]> {
  if (filter.kinds?.length === 0 && !filter.surroundings?.length) return;
  for (let after: string | undefined; ; ) {
    const page = await pageJobChanges(db, jobId, filter, { limit, after });
    yield await nameChanges(db, siteId, page.entries);
    if (page.next === null) return;
    after = page.next;
  }
}

function ofItems(filter: ChangeFilter): ChangeFilter {
  return { ...chosenAmong(ITEMS, filter), surroundings: [] };
}

function chosenAmong(kinds: readonly ChangeKind[], filter: ChangeFilter): ChangeFilter {
  return {
    ...filter,
    kinds: filter.kinds === undefined ? kinds : kinds.filter((kind) => filter.kinds?.includes(kind)),
  };
}

/** @throws DomainError invalid: a sheet does not hold the rows that changeRows yields, besides its header */
export async function requireSheetHolds(
  db: Db,
  siteId: number,
  jobId: string,
  filter: ChangeFilter,
  most: number = MAX_SHEET_ROWS - 1,
): Promise<void> {
  const items = ofItems(filter);
  let rows = items.kinds?.length === 0 ? 0 : await countJobChanges(db, jobId, items);
  for await (const page of definitionRows(db, siteId, jobId, filter)) rows += page.length;
  if (rows <= most) return;
  const message = `the changes are ${rows.toLocaleString('en')} rows, and a sheet holds ${most.toLocaleString('en')} besides its header: use the format CSV or JSONL, or choose fewer changes`;
  throw new DomainError('invalid', 'TOO_MANY_ROWS', message);
}

const COLUMNS = ['SKU', 'Operation', 'Row', 'Attribute', 'Before', 'After'] as const;

/** @param withDefinitions whether there are columns that say which definition was changed */
export function changeColumns(withDefinitions: boolean): string[] {
  return withDefinitions ? ['Kind', 'Definition', ...COLUMNS] : [...COLUMNS];
}

/** The cells of a row in these columns. */
export function changeCells(change: ChangeRow, withDefinitions: boolean): string[] {
  const values = [changeCell(change.before), changeCell(change.after)];
  if ('definition' in change) {
    const { kind, definition, operation, property } = change;
    return [kind, definition, '', operation, '', property ?? '', ...values];
  }
  const { sku, operation, row, attribute } = change;
  const cells = [sku, operation, row === null ? '' : String(row), attribute ?? '', ...values];
  return withDefinitions ? ['item', '', ...cells] : cells;
}

/** A value as a cell: lists and other documents are JSON. */
function changeCell(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
