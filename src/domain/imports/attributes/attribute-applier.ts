/** Imports attributes, from files and from JSON. */
import type { Knex } from 'knex';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { columnsFromDefinition, definitionFromColumns } from '../../catalog/attribute-record.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { AttributeColumns } from '../../catalog/attributes/attribute-columns.js';
import { MAX_ATTRIBUTE_COLUMNS, resolveAttributeHeader } from '../../catalog/attributes/attribute-columns.js';
import type { AttributeAction, AttributeInput } from '../../catalog/attributes/attribute-input.js';
import { AttributeSet } from '../../catalog/attributes/attribute-set.js';
import type { AttributeChange, AttributeIdentity } from '../../catalog/attributes/decide-attribute-change.js';
import {
  afterAllRows,
  applyAttributeChange,
  decideAttributeChange,
  identityProblem,
} from '../../catalog/attributes/decide-attribute-change.js';
import { parseAttributeInput } from '../../catalog/attributes/parse-attribute-input.js';
import { inColumns, parseAttributeRow } from '../../catalog/attributes/parse-attribute-row.js';
import { usageQuestions } from '../../catalog/attributes/usage-questions.js';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { isInherited } from '../../catalog/is-inherited.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import type { WorkbookColumn } from '../../formats/model/workbook-column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import { storable } from '../../kernel/characters.js';
import type { ChunkResult, Outcome, RowFailure } from '../../kernel/chunk-result.js';
import { OUTCOME } from '../../kernel/chunk-result.js';
import { isId, newId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { LaterChange } from '../../kernel/superseded-rows.js';
import { duplicateProblem, outdatedProblem } from '../../kernel/superseded-rows.js';
import { quoted } from '../../kernel/value-problem.js';
import { hashOfValue } from '../items/resolve/unique-reservations.js';
import type { ImportOptions, WriteMode } from '../model/import-options.js';
import type { ApplyContext, RowApplier, SourceRows } from '../model/row-applier.js';
import { SiteMappings } from './site-mappings.js';

const ROWS_PER_YIELD = 50;

interface AttributeJob {
  readonly siteId: number;
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
    apply: (trx: Knex.Transaction, read: ReadAttribute[], context: ApplyContext): Promise<ChunkResult> =>
      applyAttributeRows(trx, job.siteId, read, {
        ...context,
        winner: job.options.mode === 'insert' ? 'first' : 'last',
        inColumns: columns !== null,
        options: job.options,
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

// Applying the rows of one chunk, in the caller's transaction.

/** A row as it was read. */
interface ReadAttribute {
  readonly row: number;
  readonly key: string | null;
  /** The attribute that it is about, which is looked up even if the row has problems; null: it is not known. */
  readonly identity: AttributeIdentity | null;
  readonly outcome: AttributeInput | RowProblem[];
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  delete: OUTCOME.deleted,
} as const;

/** Applies rows in order; each sees the changes of the rows before it. */
async function applyAttributeRows(
  trx: Knex.Transaction,
  siteId: number,
  rows: readonly ReadAttribute[],
  context: ApplyContext & {
    readonly winner: 'first' | 'last';
    /** Whether the rows are those of a file, so that problems name its columns. */
    readonly inColumns: boolean;
    readonly options: Partial<ImportOptions>;
  },
): Promise<ChunkResult> {
  const outcomes: Outcome[] = [];
  const failures: RowFailure[] = [];
  await bumpDefinitions(trx, siteId);
  const current = await loadAttributes(trx, siteId);
  const later = await changedLater(trx, siteId, context.options);
  const inputs = rows.flatMap(({ outcome }) => (Array.isArray(outcome) ? [] : [outcome]));
  const usage = await countUsage(trx, siteId, usageQuestions(current, inputs));
  const facts = { newId, usageOf: (id: string) => usage.get(id) ?? 0 };
  const mappings = await SiteMappings.load(trx, siteId);
  const changes: AttributeChange[] = [];
  for (const { row, key, identity, outcome } of rows) {
    const winner = context.duplicates.get(row);
    if (winner !== undefined) {
      outcomes.push(OUTCOME.duplicate);
      const problem = duplicateProblem('name', winner, context.winner);
      const problems = [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' as const }];
      failures.push({ row, key, problems: context.inColumns ? inColumns(problems) : problems });
      continue;
    }
    const newer = Array.isArray(outcome) ? undefined : later.get(namedBy(current, outcome) ?? '');
    if (newer !== undefined) {
      outcomes.push(OUTCOME.failed);
      failures.push({ row, key, problems: [outdatedProblem('attribute', newer, context.options.retryOf)] });
      continue;
    }
    const decided = Array.isArray(outcome)
      ? withIdentity(current, identity, outcome, context.inColumns)
      : decideAttributeChange(current, outcome, facts);
    const fit = Array.isArray(outcome) || Array.isArray(decided) ? decided : mappings.check(outcome, decided);
    const change = Array.isArray(fit) ? fit : await withReservations(trx, siteId, fit);
    if (Array.isArray(change)) {
      outcomes.push(OUTCOME.failed);
      failures.push({ row, key, problems: context.inColumns && !Array.isArray(outcome) ? inColumns(change) : change });
    } else {
      applyAttributeChange(current, change);
      changes.push(change);
      outcomes.push(OUTCOME_OF[change.kind]);
    }
  }
  const concerned = await categoriesConcerned(trx, changes);
  await storeChanges(trx, siteId, changes);
  await mappings.store(trx);
  await scheduleStatusJob(trx, siteId, concerned);
  return { outcomes, failures: failures.map((failure) => asItIsNow(current, failure)) };
}

/** The problems of a row that could not be read, and that of the attribute that it names. */
function withIdentity(
  current: AttributeSet,
  identity: AttributeIdentity | null,
  problems: RowProblem[],
  ofFile: boolean,
): RowProblem[] {
  const unknown = identity === null ? null : identityProblem(current, identity);
  if (unknown === null || problems.some(({ column }) => column === unknown.column)) return problems;
  return [...(ofFile ? inColumns([unknown]) : [unknown]), ...problems];
}

function asItIsNow(current: AttributeSet, failure: RowFailure): RowFailure {
  return { ...failure, problems: failure.problems.map((problem) => afterAllRows(current, problem)) };
}

/** The id of the attribute that a row is about, if there is one. */
function namedBy(current: AttributeSet, { id, name }: AttributeInput): string | undefined {
  if (id !== undefined) return id;
  return name === undefined ? undefined : current.byName(name)?.id;
}

/**
 * The attributes that were changed after the job that a retry repeats had ended, by id. A change of the same instant is
 * one of that job: an attribute may be created and updated by rows of one request.
 */
async function changedLater(
  trx: Knex.Transaction,
  siteId: number,
  { retry }: Partial<ImportOptions>,
): Promise<ReadonlyMap<string, LaterChange>> {
  if (retry?.since === undefined) return new Map();
  const { rows } = await trx.raw<{ rows: { id: string; at: Date }[] }>(
    `SELECT id, updated_at AS at FROM attribute WHERE site_id = ? AND updated_at > ?::timestamptz`,
    [siteId, retry.since],
  );
  return new Map(rows.map(({ id, at }) => [id, { at, how: 'changed' }]));
}

async function loadAttributes(trx: Knex.Transaction, siteId: number): Promise<AttributeSet> {
  const rows = await trx('attribute').where({ site_id: siteId }).select('id', 'name', 'type', 'position', 'definition');
  return new AttributeSet(rows.map(definitionFromColumns));
}

/** Counts the items that have a value of each attribute. It scans the site's items, so call it only when needed. */
async function countUsage(trx: Knex.Transaction, siteId: number, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const result = await trx.raw(
    `SELECT wanted.id, count(item.sku)::integer AS used
     FROM jsonb_array_elements_text(?::jsonb) AS wanted (id)
     LEFT JOIN item ON item.site_id = ? AND item.attributes \\? wanted.id
     GROUP BY wanted.id`,
    [JSON.stringify(ids), siteId],
  );
  return new Map(result.rows.map((row: { id: string; used: number }) => [row.id, row.used]));
}

/** Writes the final state of each attribute that changed. */
async function storeChanges(trx: Knex.Transaction, siteId: number, changes: readonly AttributeChange[]): Promise<void> {
  const last = new Map<string, AttributeDefinition | null>();
  for (const { kind, definition } of changes) {
    if (kind !== 'unchanged') last.set(definition.id, kind === 'delete' ? null : definition);
  }
  const deleted = [...last].flatMap(([id, definition]) => (definition === null ? [id] : []));
  const stored = [...last.values()].flatMap((definition) => (definition === null ? [] : [definition]));
  await trx('attribute').whereIn('id', deleted).delete();
  if (stored.length === 0) return;
  // The names are replaced by temporary ones first, because two attributes may have swapped theirs.
  await trx('attribute')
    .whereIn(
      'id',
      stored.map(({ id }) => id),
    )
    .update({ name_key: trx.raw('chr(1) || id') });
  const rows = stored.map((definition) => ({
    ...columnsFromDefinition(definition),
    // The statement below never lowers the next number, unless the type has changed.
    serial_next: ATTRIBUTE_TYPES[definition.type].numbersItems ? (definition.serialStart ?? 1) : null,
  }));
  await trx.raw(
    `INSERT INTO attribute (id, site_id, name, name_key, type, position, definition, serial_next)
     SELECT id, ?, name, name_key, type, position, definition, serial_next
     FROM jsonb_to_recordset(?::jsonb) AS new
       (id text, name text, name_key text, type text, position integer, definition jsonb, serial_next bigint)
     ON CONFLICT ON CONSTRAINT attribute_pk DO UPDATE SET
       name = excluded.name, name_key = excluded.name_key, type = excluded.type, definition = excluded.definition,
       serial_next = CASE WHEN attribute.type = excluded.type THEN GREATEST(attribute.serial_next, excluded.serial_next)
         ELSE excluded.serial_next END,
       updated_at = now()`,
    [siteId, JSON.stringify(rows)],
  );
}

/**
 * Finds the categories whose items may change their status: items without a value of a deleted attribute, and variants
 * that now inherit a value of their parent, or no longer do.
 */
async function categoriesConcerned(
  trx: Knex.Transaction,
  changes: readonly AttributeChange[],
): Promise<readonly number[]> {
  const ids = changes.flatMap((change) => (changesStatuses(change) ? [change.definition.id] : []));
  if (ids.length === 0) return [];
  return trx('category_attribute')
    .join('category', 'category.id', 'category_attribute.category_id')
    .whereIn('attribute_id', ids)
    .where({ mandatory: true })
    .distinct('node_id')
    .pluck('node_id');
}

function changesStatuses(change: AttributeChange): boolean {
  if (change.kind !== 'update') return change.kind === 'delete';
  return isInherited(change.definition, false) !== isInherited(change.previous, false);
}

// Unique-value reservations, when an attribute becomes unique or stops being unique.

/** How many items one statement reads. */
const BATCH = 5_000;

interface Holding {
  readonly sku: string;
  readonly value: unknown;
}

/**
 * Reserves the values that items have when a change makes their attribute unique, and releases the reservations when
 * the attribute is no longer unique. The caller's job is exclusive.
 * @returns the change; or the problem, when two items share a value
 */
async function withReservations(
  trx: Knex.Transaction,
  siteId: number,
  change: AttributeChange,
): Promise<AttributeChange | RowProblem[]> {
  if (change.kind !== 'update') return change;
  const { definition, previous } = change;
  const isUnique = definition.validation.unique === true;
  if (isUnique === (previous.validation.unique === true)) return change;
  await releaseReservations(trx, siteId, definition.id);
  if (!isUnique) return change;
  // If it fails, the attribute keeps the name that it has.
  const shared = await reserveValues(trx, siteId, previous);
  if (shared === null) return change;
  await releaseReservations(trx, siteId, definition.id);
  return [shared];
}

async function releaseReservations(trx: Knex.Transaction, siteId: number, attributeId: string): Promise<void> {
  await trx('item_unique_value').where({ site_id: siteId, attribute_id: attributeId }).delete();
}

/** @returns null when no two items share a value */
async function reserveValues(
  trx: Knex.Transaction,
  siteId: number,
  { id, name }: AttributeDefinition,
): Promise<RowProblem | null> {
  for (let after = ''; ; ) {
    const holdings = await loadHoldings(trx, siteId, id, after);
    const last = holdings.at(-1);
    if (last === undefined) return null;
    const reservations = holdings.map(({ sku, value }) => ({ s: sku, h: hashOfValue(value) }));
    const reserved = await trx.raw(
      `INSERT INTO item_unique_value (site_id, attribute_id, value_hash, sku)
       SELECT ?, ?, h, s FROM jsonb_to_recordset(?::jsonb) AS reservation (s text, h bytea) ORDER BY s COLLATE "C"
       ON CONFLICT ON CONSTRAINT item_unique_value_pk DO NOTHING`,
      [siteId, id, JSON.stringify(reservations)],
    );
    if (reserved.rowCount < reservations.length)
      return sharedValue(name, await firstShared(trx, siteId, id, reservations), holdings);
    after = last.sku;
  }
}

async function loadHoldings(
  trx: Knex.Transaction,
  siteId: number,
  attributeId: string,
  after: string,
): Promise<readonly Holding[]> {
  const result = await trx.raw(
    `SELECT sku, attributes -> :attributeId AS value FROM item
     WHERE site_id = :siteId AND sku > :after AND jsonb_exists(attributes, :attributeId)
     ORDER BY sku LIMIT ${BATCH}`,
    { siteId, attributeId, after },
  );
  return result.rows;
}

/** Finds the first item whose value another item has reserved, and that other item. */
async function firstShared(
  trx: Knex.Transaction,
  siteId: number,
  attributeId: string,
  reservations: readonly { readonly s: string; readonly h: string }[],
): Promise<{ readonly sku: string; readonly owner: string }> {
  const result = await trx.raw(
    `SELECT wanted.s AS sku, owned.sku AS owner
     FROM jsonb_to_recordset(?::jsonb) AS wanted (s text, h bytea)
     JOIN item_unique_value AS owned
       ON owned.site_id = ? AND owned.attribute_id = ? AND owned.value_hash = wanted.h AND owned.sku <> wanted.s COLLATE "C"
     ORDER BY wanted.s COLLATE "C" LIMIT 1`,
    [JSON.stringify(reservations), siteId, attributeId],
  );
  return result.rows[0];
}

function sharedValue(
  name: string,
  { sku, owner }: { readonly sku: string; readonly owner: string },
  holdings: readonly Holding[],
): RowProblem {
  const value = holdings.find((holding) => holding.sku === sku)?.value;
  const items = `the items "${storable(owner, 100)}" and "${storable(sku, 100)}"`;
  const message = `"${name}" cannot be made unique: ${items} both have the value ${quoted(value)}; change one of them first`;
  return { code: 'VALUE_NOT_UNIQUE', column: 'validation.unique', message, value: storable(String(value), 200) };
}
