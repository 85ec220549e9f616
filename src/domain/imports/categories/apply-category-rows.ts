/** Applies the rows of one input of categories, in the caller's transaction. */
import type { Knex } from 'knex';
import { yieldToEventLoop } from '../../../platform/time-slice.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import { type ChunkResult, OUTCOME } from '../../outcomes/model/chunk-result.js';
import type { ImportOptions, WriteMode } from '../model/import-options.js';
import { type LaterChange, outdatedProblem } from '../pipeline/superseded-rows.js';
import { loadCategoryFacts } from './category-facts.js';
import { Report } from './category-report.js';
import type { CategoryRowNames } from './category-row-names.js';
import type { CategoryNode, CategoryTrees } from './category-trees.js';
import { decideCategories } from './decide-categories.js';
import { locateTrees, placesOfReferences } from './locate-trees.js';
import type { PlacedRows } from './placed-rows.js';
import { idOf, writeCategories } from './write-categories.js';

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
} as const;

interface ApplyOptions {
  readonly mode: WriteMode;
  readonly names: CategoryRowNames;
  /** Those of the job, for what a retry says there. */
  readonly options?: Partial<ImportOptions>;
}

/** Applies all rows of an input. Their order matters only for siblings whose `order` is equal. */
export async function applyCategoryRows(
  trx: Knex.Transaction,
  siteId: number,
  placed: PlacedRows,
  { mode, names, options = {} }: ApplyOptions,
): Promise<ChunkResult> {
  await lockDefinitions(trx, siteId);
  const { trees, rows } = placed;
  const report = new Report(placed, names, mode);
  const references = rows.flatMap(({ byParent }) => byParent?.parent ?? []);
  const parents = await placesOfReferences(trx, siteId, references);
  const { superseded, orphans, faulty } = placed.resolveWinners(mode === 'insert' ? 'first' : 'last', parents);
  const fieldsOf = ({ winner, faulty: index }: CategoryNode) => rows[winner >= 0 ? winner : index]?.fields ?? undefined;
  const withAssignments = rows.some(({ fields }) => fields?.attributes !== undefined);
  await locateTrees(trx, siteId, trees, withAssignments);
  const facts = await loadCategoryFacts(trx, siteId, trees, fieldsOf, withAssignments);
  await yieldToEventLoop();
  const decisions = decideCategories(trees, (index) => rows[index], faulty, facts, mode, names);
  for (const [{ winner }, later] of await changedLater(trx, trees, options)) {
    decisions.set(winner, { kind: 'failed', problems: [outdatedProblem('category', later, options.retryOf)] });
  }
  await yieldToEventLoop();
  await writeCategories(trx, siteId, trees, decisions.values());
  for (const [index, decision] of decisions) {
    if (decision.kind === 'failed') report.fail(index, decision.problems);
    else report.outcomes[index] = OUTCOME_OF[decision.kind];
  }
  for (const index of orphans) report.orphan(index);
  for (const [index, { winner }] of superseded) report.supersede(index, winner);
  return report.result();
}

/** The categories that rows of a retry are about and that were changed after the job that it repeats had ended. */
async function changedLater(
  trx: Knex.Transaction,
  { levels }: CategoryTrees,
  { retry }: Partial<ImportOptions>,
): Promise<readonly (readonly [CategoryNode, LaterChange])[]> {
  if (retry?.since === undefined) return [];
  const named = levels.flat().filter(({ winner, stored }) => winner >= 0 && stored !== null);
  const nodes = new Map(named.map((node) => [idOf(node), node]));
  const { rows } = await trx.raw<{ rows: { id: string; at: Date }[] }>(
    `SELECT id, updated_at AS at FROM category WHERE id = ANY (?) AND updated_at > ?::timestamptz`,
    [[...nodes.keys()], retry.since],
  );
  return rows.flatMap(({ id, at }) => {
    const node = nodes.get(id);
    return node === undefined ? [] : [[node, { at, how: 'changed' }] as const];
  });
}
