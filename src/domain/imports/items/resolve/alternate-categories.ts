/** Explains rows whose category is not in the primary tree, because it is in an alternate tree. */
import type { Db } from '../../../../../db/connection.js';
import { Category } from '../../../../../db/models/category.js';
import { categoryKey, formatPath, parsePath } from '../../../catalog/categories/category-path.js';
import { MAX_NODE_ID } from '../../../catalog/categories/find-category.js';
import { loadLineages } from '../../../catalog/categories/read-categories.js';
import type { RowFailure } from '../../../jobs/chunk-result.js';
import type { RowProblem } from '../../../kernel/row-problem.js';

/** The most different categories that are looked up for one chunk. */
const MAX_LOOKED_UP = 500;
const NODE_ID = /^[1-9][0-9]{0,9}$/;

/**
 * Adapts the messages of rows that name a category of an alternate tree. One look-up serves all rows of a chunk, and
 * chunks without such problems need none.
 */
export async function explainAlternates(db: Db, siteId: number, failures: RowFailure[]): Promise<RowFailure[]> {
  const named = new Set<string>();
  for (const { problems } of failures) {
    for (const problem of problems) if (isMissing(problem) && named.size < MAX_LOOKED_UP) named.add(problem.value);
  }
  if (named.size === 0) return failures;
  const found = await findAlternates(db, siteId, [...named]);
  if (found.size === 0) return failures;
  return failures.map((failure) => ({
    ...failure,
    problems: failure.problems.map((problem) => explain(problem, found)),
  }));
}

function isMissing(problem: RowProblem): problem is RowProblem & { readonly value: string } {
  return problem.code === 'NODE_NOT_FOUND' && problem.value !== undefined;
}

function explain(problem: RowProblem, found: ReadonlyMap<string, string>): RowProblem {
  const path = isMissing(problem) ? found.get(problem.value) : undefined;
  if (path === undefined) return problem;
  const message = `the category "${path}" is in an alternate tree, and items belong to a category of the primary tree: name one of that tree here, and add the item to the alternate category by POST /api-category/v1/category/item`;
  return { ...problem, message };
}

/** @returns what a row wrote (a path or a node id) → the path of the alternate category */
async function findAlternates(db: Db, siteId: number, texts: readonly string[]): Promise<Map<string, string>> {
  const nodeIds = texts.flatMap((text) => (NODE_ID.test(text.trim()) ? [Number(text)] : []));
  const lastNames = texts.map((text) => categoryKey(parsePath(text).at(-1) ?? ''));
  const rows = await Category.query(db)
    .where({ site_id: siteId, tree: 'ALTERNATE' })
    .whereRaw('(node_id = ANY (?::integer[]) OR name_key = ANY (?::text[]))', [
      nodeIds.filter((nodeId) => nodeId <= MAX_NODE_ID),
      lastNames.filter((name) => !name.includes('\u0000')),
    ])
    .limit(2 * MAX_LOOKED_UP);
  const lineages = rows.length === 0 ? [] : await loadLineages(db, siteId, rows);
  const paths = new Map<string, string>();
  for (const [index, row] of rows.entries()) {
    const names = (lineages[index] ?? []).map(({ name }) => name);
    paths.set(String(row.node_id), formatPath(names));
    paths.set(pathKey(names), formatPath(names));
  }
  return new Map(
    texts.flatMap((text) => {
      const path = paths.get(text.trim()) ?? paths.get(pathKey(parsePath(text)));
      return path === undefined ? [] : [[text, path]];
    }),
  );
}

function pathKey(names: readonly string[]): string {
  return JSON.stringify(names.map(categoryKey));
}
