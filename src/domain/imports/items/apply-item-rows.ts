/** Applies rows of items, in the caller's transaction. */
import type { Knex } from 'knex';
import { type ChunkResult, OUTCOME, type Outcome, type RowFailure } from '../../outcomes/model/chunk-result.js';
import { duplicateProblem } from '../pipeline/superseded-rows.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { type ApplyItems, type ReadRow, UNCHANGED_ROW } from './item-batch.js';
import { type ItemDraft, refersToOthers } from './read/item-draft.js';
import type { SiteDrafts } from './resolve/found-items.js';
import { resolveDependentRows } from './resolve/resolve-dependent-rows.js';
import { resolvePlainRows } from './resolve/resolve-plain-rows.js';
import type { Resolution, ResolvedRow } from './resolve/resolved-row.js';
import { writeResolved } from './write/write-resolved.js';

/** How often rows read the stored items again because other jobs inserted its keys meanwhile. */
const MAX_READS = 5;

/** Rows of one site, whose keys are distinct, except for `duplicates`. After the first pass these are deferred rows only. */
interface SiteRows {
  readonly rows: readonly ReadRow[];
  readonly options: ApplyItems;
}

/** Applies rows of one site. @returns one outcome for each row, in order, and the failures */
export async function applyItemRows(
  trx: Knex.Transaction,
  rows: readonly ReadRow[],
  options: ApplyItems,
): Promise<AppliedRows> {
  const [result] = await applyRowsOf(trx, [{ rows, options }], () => true);
  if (result === undefined || result === null) throw new Error('rows of items were not applied');
  return result;
}

/**
 * Applies rows of several sites, in the order of their ids: one statement reads, and one writes, those of all.
 * @returns null for a site with rows that refer to others: nothing of it was written
 */
export function applyJointly(trx: Knex.Transaction, sites: readonly SiteRows[]): Promise<(AppliedRows | null)[]> {
  return applyRowsOf(trx, sites, (outcomes) => !outcomes.includes(OUTCOME.deferred));
}

/** @param isWanted whether rows with these outcomes are applied; when an insert collides, all are resolved again */
async function applyRowsOf(
  trx: Knex.Transaction,
  sites: readonly SiteRows[],
  isWanted: (outcomes: readonly Outcome[]) => boolean,
): Promise<(AppliedRows | null)[]> {
  const sorted = sites.map(({ rows, options }) => ({ options, ...sortRows(rows, options) }));
  const wanted = sorted.filter(({ outcomes }) => isWanted(outcomes));
  let readFirst = sites.some(({ options }) => options.pass.number > 0 || !options.siteWasEmpty);
  for (let read = 1; read <= MAX_READS; read++) {
    const resolutions = await resolve(trx, wanted, readFirst);
    const complete = wanted.flatMap((site, nth) => {
      const resolution = resolutions[nth];
      return resolution !== undefined && isWanted(resolution.rows.map(outcomeOf)) ? [{ ...site, resolution }] : [];
    });
    const changes = await writeResolved(trx, complete);
    if (changes !== null) {
      const results = new Map(
        complete.map((site, nth) => [
          site.outcomes,
          { ...resultOf(site, site.resolution.rows), changes: changes[nth] },
        ]),
      );
      return sorted.map(({ outcomes }) => results.get(outcomes) ?? null);
    }
    readFirst = true;
  }
  throw new Error('other jobs keep inserting the same SKUs');
}

interface SortedRows {
  /** One for each row; those of the drafts are not decided. */
  readonly outcomes: Outcome[];
  readonly failures: RowFailure[];
  readonly drafts: readonly ItemDraft[];
  /** The index of each draft's row. */
  readonly indexes: readonly number[];
}

/**
 * Whether rows are resolved one after another. So they are in the first pass already where values are unique: a row that
 * is deferred because it refers to others keeps the values that it wants from the rows after it.
 */
function resolvesInOrder({ pass, rules }: ApplyItems): boolean {
  return pass.number > 0 || rules.unique.length > 0;
}

/** Separates the rows that have to be compared with what is stored from those whose outcome is known. */
function sortRows(rows: readonly ReadRow[], options: ApplyItems): SortedRows {
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const drafts: ItemDraft[] = [];
  const indexes: number[] = [];
  rows.forEach((read, index) => {
    if (read === UNCHANGED_ROW) {
      outcomes[index] = OUTCOME.unchanged;
      return;
    }
    const { row, outcome } = read;
    const draft = outcome.draft ?? outcome.rest;
    const winner = options.duplicates.get(row);
    if (winner !== undefined) {
      outcomes[index] = OUTCOME.duplicate;
      const problem = duplicateProblem(options.names.sku, winner, options.mode === 'insert' ? 'first' : 'last');
      failures.push({ row, key: outcome.key, problems: [problem] });
    } else if (draft === null) {
      failures.push({ row, key: outcome.key, problems: outcome.problems ?? [] });
    } else if (options.pass.number === 0 && !resolvesInOrder(options) && refersToOthers(draft)) {
      outcomes[index] = OUTCOME.deferred;
    } else {
      drafts.push(draft);
      indexes.push(index);
    }
  });

  return { outcomes, failures, drafts, indexes };
}

/** The result of rows whose drafts are resolved. */
function resultOf({ outcomes, failures, indexes }: SortedRows, resolved: readonly ResolvedRow[]): ChunkResult {
  resolved.forEach(({ draft, decision }, nth) => {
    const index = indexes[nth] ?? 0;
    outcomes[index] = outcomeOf({ draft, decision });
    if (decision.kind === 'failed')
      failures.push({ row: draft.row, key: draft.sku || null, problems: decision.problems });
  });
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  delete: OUTCOME.deleted,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
  deferred: OUTCOME.deferred,
} as const;

function outcomeOf({ decision }: ResolvedRow): Outcome {
  return OUTCOME_OF[decision.kind];
}

/** Rows of several sites are resolved together where each is resolved by itself. */
async function resolve(
  trx: Knex.Transaction,
  sites: readonly SiteDrafts[],
  readFirst: boolean,
): Promise<readonly Resolution[]> {
  const [first] = sites;
  return first !== undefined && resolvesInOrder(first.options)
    ? [await resolveDependentRows(trx, first.drafts, first.options, readFirst)]
    : resolvePlainRows(trx, sites, readFirst);
}
