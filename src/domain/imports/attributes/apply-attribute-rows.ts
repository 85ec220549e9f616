/** Applies the rows of one chunk of attributes, in the caller's transaction. */
import type { Knex } from 'knex';
import { ascendingIds } from '../../catalog/attributes/ascending-ids.js';
import type { AttributeInput } from '../../catalog/attributes/attribute-input.js';
import type { AttributeSet } from '../../catalog/attributes/attribute-set.js';
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
import type { RowProblem } from '../../kernel/row-problem.js';
import { type ChunkResult, OUTCOME, type Outcome, type RowFailure } from '../../outcomes/model/chunk-result.js';
import type { ImportOptions } from '../model/import-options.js';
import { duplicateProblem, type LaterChange, outdatedProblem } from '../pipeline/superseded-rows.js';
import type { ApplyContext } from '../rows/row-applier.js';
import { withReservations } from './reserve-values.js';
import { SiteMappings } from './site-mappings.js';
import { countUsage, loadAttributes, storeAttributes } from './store-attributes.js';

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
  const facts = { newId: ascendingIds(), usageOf: (id: string) => usage.get(id) ?? 0 };
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
  await storeAttributes(trx, siteId, changes, { afterwards: () => mappings.store(trx) });
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
