/** Imports attributes, from files and from JSON. */
import type { Knex } from 'knex';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import type { AttributeColumns } from '../../catalog/attributes/attribute-columns.js';
import { MAX_ATTRIBUTE_COLUMNS, resolveAttributeHeader } from '../../catalog/attributes/attribute-columns.js';
import type { AttributeAction } from '../../catalog/attributes/attribute-input.js';
import type { AttributeIdentity } from '../../catalog/attributes/decide-attribute-change.js';
import { parseAttributeInput } from '../../catalog/attributes/parse-attribute-input.js';
import { parseAttributeRow } from '../../catalog/attributes/parse-attribute-row.js';
import { noteChanger } from '../../changes/definition-changes.js';
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { isId } from '../../kernel/identifier.js';
import type { ChunkResult } from '../../outcomes/model/chunk-result.js';
import type { ImportOptions, WriteMode } from '../model/import-options.js';
import type { ApplyContext, RowApplier, SourceRows } from '../rows/row-applier.js';
import { applyAttributeRows, type ReadAttribute } from './apply-attribute-rows.js';

const ROWS_PER_YIELD = 50;

interface AttributeJob {
  readonly siteId: number;
  readonly actor: string | null;
  readonly options: ImportOptions;
  /** All rows of a file have the same action; each element of a request has its own. */
  readonly fromFile: boolean;
}

const FILE_ACTIONS: Readonly<Record<WriteMode, AttributeAction>> = {
  insert: 'INSERT',
  upsert: 'UPSERT',
  update: 'UPDATE',
};

/** @param headerCells the header found by the plan step; null for JSON, and while planning */
export function attributeApplier(
  job: AttributeJob,
  headerCells: readonly string[] | null,
): RowApplier<ReadAttribute[]> {
  const columns = headerCells === null ? null : resolveAttributeHeader(headerCells);
  const action = job.fromFile ? FILE_ACTIONS[job.options.mode] : undefined;
  return {
    limits: { maxColumns: MAX_ATTRIBUTE_COLUMNS },
    // A row may rename an attribute that an earlier row created.
    ordered: true,
    winner: job.options.mode === 'insert' ? 'first' : 'last',
    readHeader: (cells) => resolveAttributeHeader(cells).indexOf('Attribute Title'),
    workbookColumns: (cells) => {
      const column = fieldColumn(job.options.decimalSeparator ?? '.');
      return resolveAttributeHeader(cells).map(() => column);
    },
    keyOf: job.fromFile ? nameOf : keyInRequest,
    normaliseKey: attributeKey,
    reserve: async () => ({}),
    read: (source) => readRows(source, columns, action, job.options.decimalSeparator),
    done: () => undefined,
    apply: async (trx: Knex.Transaction, read: ReadAttribute[], context: ApplyContext): Promise<ChunkResult> => {
      await noteChanger(trx, { jobId: context.jobId, actor: job.actor });
      return applyAttributeRows(trx, job.siteId, read, {
        ...context,
        winner: job.options.mode === 'insert' ? 'first' : 'last',
        inColumns: columns !== null,
        options: job.options,
      });
    },
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
    if (read.length % ROWS_PER_YIELD === 0) await yieldToEventLoop();
    if (row.problem !== null) {
      const key = 'cells' in row ? null : nameOf(row.element);
      read.push({ row: row.row, key, identity: null, outcome: [row.problem] });
      continue;
    }
    if ('cells' in row) {
      const header = headerOf(columns);
      const key = row.cells[header.indexOf('Attribute Title')]?.trim() || null;
      const ofFile = action ?? 'UPSERT';
      const identity = key === null ? null : { action: ofFile, name: key };
      const outcome = parseAttributeRow(header, row.cells, ofFile, decimalSeparator);
      read.push({ row: row.row, key, identity, outcome });
    } else {
      const identity = identityOf(row.element, action);
      const outcome = parseAttributeInput(row.element, action);
      read.push({ row: row.row, key: nameOf(row.element), identity, outcome });
    }
  }
  return read;
}

function headerOf(columns: AttributeColumns | null): AttributeColumns {
  if (columns === null) throw new Error('rows of a file cannot be read before its header');
  return columns;
}

/** Whether a field is a number or a date depends on the row's type, so that all are read as text. */
function fieldColumn(decimalSeparator: '.' | ','): WorkbookColumn {
  return { kind: 'other', decimalSeparator, writeDate: (canonical) => canonical };
}

function nameOf(element: unknown): string | null {
  if (typeof element !== 'object' || element === null || !('name' in element)) return null;
  return typeof element.name === 'string' ? element.name : null;
}

/**
 * The key of an element of a request: its name with its action. The rows of a file have one action, and of two with the
 * same name one wins. So it is in requests; but an attribute may be created, updated and deleted in one, in order.
 */
function keyInRequest(element: unknown): string | null {
  const name = nameOf(element);
  if (name === null || attributeKey(name) === '') return null;
  const { action, id }: Readonly<Record<string, unknown>> = { ...(element as object) };
  const given = action ?? 'CREATE';
  // With an id the name is what the attribute is to be called.
  return typeof given === 'string' && (id === undefined || id === null) ? `${given} ${attributeKey(name)}` : null;
}

/** Which attribute an element is about, whatever else is wrong with it; null: it does not say. */
function identityOf(element: unknown, ofFile: AttributeAction | undefined): AttributeIdentity | null {
  if (typeof element !== 'object' || element === null) return null;
  const { action: given, id, name }: Readonly<Record<string, unknown>> = { ...element };
  const action = ofFile ?? NAMED_ACTIONS.find((one) => one === given);
  if (action === undefined) return null;
  if (typeof id === 'string' && isId(id)) return { action, id };
  const isNamed = typeof name === 'string' && attributeKey(name) !== '';
  return isNamed && (id === undefined || id === null) ? { action, name } : null;
}

/** The actions that need an attribute that exists. */
const NAMED_ACTIONS = ['UPDATE', 'DELETE'] as const;
