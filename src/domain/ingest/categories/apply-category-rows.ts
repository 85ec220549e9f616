/** Applies the rows of one input to the categories of a site, in the caller's transaction. */
import type { Knex } from 'knex';
import { breathe } from '../../../platform/time-slice.js';
import { lockDefinitions } from '../../catalog/definitions-version.js';
import type { WriteMode } from '../../jobs/job-options.js';
import { type ChunkResult, duplicateProblem, OUTCOME, type Outcome, type RowFailure } from '../chunk-result.js';
import { loadCategoryFacts } from './category-facts.js';
import { CategoryForest, type ForestNode } from './category-forest.js';
import type { CategoryRowNames } from './category-row-names.js';
import { decideCategories, type StandingRow } from './decide-categories.js';
import { locateForest, namedPlace, placesOfReferences } from './locate-categories.js';
import type { ReadCategory } from './read-category.js';
import { writeCategories } from './write-categories.js';

const ROWS_PER_LOOK = 200;

const OUTCOME_OF = {
  create: OUTCOME.created,
  update: OUTCOME.updated,
  unchanged: OUTCOME.unchanged,
  failed: OUTCOME.failed,
} as const;

/** Applies all rows of an input: the order in which they stand counts for nothing but siblings of equal order. */
export async function applyCategoryRows(
  trx: Knex.Transaction,
  siteId: number,
  rows: readonly ReadCategory[],
  { mode, names }: { readonly mode: WriteMode; readonly names: CategoryRowNames },
): Promise<ChunkResult> {
  await lockDefinitions(trx, siteId);
  const forest = new CategoryForest();
  const outcomes: Outcome[] = new Array(rows.length).fill(OUTCOME.failed);
  const failures: RowFailure[] = [];
  const losers = await plant(trx, siteId, forest, rows, mode === 'insert' ? 'first' : 'last', failures, names);
  const rowOf = (node: ForestNode): StandingRow | undefined => standingRow(rows, node);
  await locateForest(trx, siteId, forest);
  const facts = await loadCategoryFacts(trx, siteId, forest, (node) => rowOf(node)?.input);
  await breathe();
  const decisions = decideCategories(forest, rowOf, facts, mode, names);
  await breathe();
  await writeCategories(trx, siteId, forest, decisions.values());
  for (const [index, decision] of decisions) {
    outcomes[index] = OUTCOME_OF[decision.kind];
    const { row = 0, key = null } = rows[index] ?? {};
    if (decision.kind === 'failed') failures.push({ row, key, problems: decision.problems });
  }
  for (const [index, node] of losers) {
    outcomes[index] = OUTCOME.duplicate;
    const { row = 0, key = null } = rows[index] ?? {};
    const standing = rows[node.standing]?.row ?? 0;
    const problem = duplicateProblem(names.key, standing, mode === 'insert' ? 'first' : 'last');
    failures.push({ row, key, problems: [{ ...problem, code: 'NAME_DUPLICATE_IN_REQUEST' }] });
  }
  failures.sort((a, b) => a.row - b.row);
  return { outcomes, failures };
}

/** Puts every row that could be read at its place. @returns the rows that lose to another: index → their common node */
async function plant(
  trx: Knex.Transaction,
  siteId: number,
  forest: CategoryForest,
  rows: readonly ReadCategory[],
  stands: 'first' | 'last',
  failures: RowFailure[],
  names: CategoryRowNames,
): Promise<Map<number, ForestNode>> {
  const parents = await placesOfReferences(
    trx,
    siteId,
    rows.flatMap(({ outcome }) => ('place' in outcome && 'parent' in outcome.place ? [outcome.place.parent] : [])),
  );
  const losers = new Map<number, ForestNode>();
  for (const [index, { row, key, outcome }] of rows.entries()) {
    if (index % ROWS_PER_LOOK === 0) await breathe();
    if (!('place' in outcome)) {
      failures.push({ row, key, problems: outcome });
      continue;
    }
    const place = namedPlace(outcome.place, parents);
    if (place === undefined) {
      const message = 'there is no such parent; name it by its path, node id or id';
      failures.push({ row, key, problems: [{ code: 'NODE_NOT_FOUND', column: names.place(outcome), message }] });
      continue;
    }
    const node = forest.plant(place.tree, place.names);
    if (node.standing >= 0 && stands === 'first') {
      losers.set(index, node);
      continue;
    }
    if (node.standing >= 0) losers.set(node.standing, node);
    forest.stand(node, index, place.names);
  }
  return losers;
}

function standingRow(rows: readonly ReadCategory[], { standing }: ForestNode): StandingRow | undefined {
  const read = rows[standing];
  if (read === undefined || !('place' in read.outcome)) return undefined;
  return { index: standing, row: read.row, input: read.outcome };
}
