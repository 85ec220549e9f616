/** Applies the rows of one chunk to the attributes of a site, one after another, in the caller's transaction. */
import type { Knex } from 'knex';
import type { AttributeDefinition } from '../../catalog/attribute-definition.js';
import { ATTRIBUTE_TYPES } from '../../catalog/attribute-types.js';
import { inColumns } from '../../catalog/attributes/attribute-from-cells.js';
import type { AttributeInput } from '../../catalog/attributes/attribute-input.js';
import { columnsFromDefinition, definitionFromColumns } from '../../catalog/attributes/attribute-row.js';
import { AttributeSet } from '../../catalog/attributes/attribute-set.js';
import {
  type AttributeChange,
  applyAttributeChange,
  decideAttributeChange,
} from '../../catalog/attributes/decide-attribute-change.js';
import { isInherited } from '../../catalog/attributes/is-inherited.js';
import { usageQuestions } from '../../catalog/attributes/usage-questions.js';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { scheduleStatusJob } from '../../catalog/status-job.js';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../../jobs/chunk-result.js';
import { newId } from '../../kernel/identifier.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { ApplyContext } from '../pipeline/ingest-kind.js';
import { withClaims } from './claim-existing-values.js';
import { MappedParts } from './mapped-parts.js';

/** A row as it was read. */
export interface ReadAttribute {
  readonly row: number;
  readonly key: string | null;
  readonly outcome: AttributeInput | RowProblem[];
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  delete: OUTCOME.deleted,
} as const;

/** Applies rows in order; each sees what the rows before it did. */
export async function applyAttributeRows(
  trx: Knex.Transaction,
  siteId: number,
  rows: readonly ReadAttribute[],
  context: ApplyContext & {
    readonly standing: 'first' | 'last';
    /** Whether the rows are a file's: problems then name its columns. */
    readonly inColumns: boolean;
  },
): Promise<ChunkResult> {
  const outcomes: Outcome[] = [];
  const failures: RowFailure[] = [];
  await bumpDefinitions(trx, siteId);
  const current = await loadAttributes(trx, siteId);
  const inputs = rows.flatMap(({ outcome }) => (Array.isArray(outcome) ? [] : [outcome]));
  const usage = await countUsage(trx, siteId, usageQuestions(current, inputs));
  const facts = { newId, usageOf: (id: string) => usage.get(id) ?? 0 };
  const parts = await MappedParts.load(trx, siteId);
  const changes: AttributeChange[] = [];
  for (const { row, key, outcome } of rows) {
    const standing = context.duplicates.get(row);
    if (standing !== undefined) {
      outcomes.push(OUTCOME.duplicate);
      const problem = duplicateProblem('name', standing, context.standing);
      const problems = [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' as const }];
      failures.push({ row, key, problems: context.inColumns ? inColumns(problems) : problems });
      continue;
    }
    const decided = Array.isArray(outcome) ? outcome : decideAttributeChange(current, outcome, facts);
    const fit = Array.isArray(outcome) || Array.isArray(decided) ? decided : parts.check(outcome, decided);
    const change = Array.isArray(fit) ? fit : await withClaims(trx, siteId, fit);
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
  await parts.store(trx);
  await scheduleStatusJob(trx, siteId, concerned);
  return { outcomes, failures };
}

async function loadAttributes(trx: Knex.Transaction, siteId: number): Promise<AttributeSet> {
  const rows = await trx('attribute').where({ site_id: siteId }).select('id', 'name', 'type', 'position', 'definition');
  return new AttributeSet(rows.map(definitionFromColumns));
}

/** How many items hold a value of each attribute: one pass over the site's items, made only when it matters. */
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

/** Writes the last state of each attribute that changed. */
async function storeChanges(trx: Knex.Transaction, siteId: number, changes: readonly AttributeChange[]): Promise<void> {
  const last = new Map<string, AttributeDefinition | null>();
  for (const { kind, definition } of changes) {
    if (kind !== 'unchanged') last.set(definition.id, kind === 'delete' ? null : definition);
  }
  const deleted = [...last].flatMap(([id, definition]) => (definition === null ? [id] : []));
  const stored = [...last.values()].flatMap((definition) => (definition === null ? [] : [definition]));
  await trx('attribute').whereIn('id', deleted).delete();
  if (stored.length === 0) return;
  // Names are moved out of the way first: two attributes may have swapped theirs.
  await trx('attribute')
    .whereIn(
      'id',
      stored.map(({ id }) => id),
    )
    .update({ name_key: trx.raw('chr(1) || id') });
  const rows = stored.map((definition) => ({
    ...columnsFromDefinition(definition),
    // Numbers go on after those that were given, and not before a start that was raised.
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
 * Whether items are LIVE may follow: those that lacked a value of an attribute that is deleted, and variants that have,
 * or no longer have, their parent's value.
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
