/** Applies the rows of one chunk of attributes, in the caller's transaction. */
import type { Knex } from 'knex';
import { columnsFromDefinition, definitionFromColumns } from '../../catalog/attribute-record.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import type { AttributeInput } from '../../catalog/attributes/attribute-input.js';
import { AttributeSet } from '../../catalog/attributes/attribute-set.js';
import type { AttributeChange, AttributeIdentity } from '../../catalog/attributes/decide-attribute-change.js';
import {
  afterAllRows,
  applyAttributeChange,
  decideAttributeChange,
  identityProblem,
} from '../../catalog/attributes/decide-attribute-change.js';
import { inColumns } from '../../catalog/attributes/parse-attribute-row.js';
import { usageQuestions } from '../../catalog/attributes/usage-questions.js';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { isInherited } from '../../catalog/is-inherited.js';
import type { AttributeDefinition } from '../../catalog/model/attribute-definition.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import type { ChunkResult, Outcome, RowFailure } from '../../jobs/model/chunk-result.js';
import { OUTCOME } from '../../jobs/model/chunk-result.js';
import type { LaterChange } from '../../jobs/model/superseded-rows.js';
import { duplicateProblem, outdatedProblem } from '../../jobs/model/superseded-rows.js';
import { newId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ImportOptions } from '../model/import-options.js';
import type { ApplyContext } from '../model/row-applier.js';
import { withReservations } from './reserve-values.js';
import { SiteMappings } from './site-mappings.js';

/** A row as it was read. */
export interface ReadAttribute {
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
export async function applyAttributeRows(
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
  if (deleted.length > 0) {
    // Before the attributes, so that the change log can be undone from its end.
    await trx('category_attribute').whereIn('attribute_id', deleted).delete();
    await trx('attribute').whereIn('id', deleted).delete();
  }
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
