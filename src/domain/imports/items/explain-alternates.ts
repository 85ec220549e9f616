/** Explains rows whose category is not in the primary tree, because it is in an alternate tree. */
import type { Db } from '../../../../db/connection.js';
import { formatAlternatePath, NODE_ID, parseAlternatePath } from '../../catalog/categories/alternate-path.js';
import { categoryKey } from '../../catalog/categories/category-name.js';
import { parsePath } from '../../catalog/categories/category-path.js';
import type { RowProblem } from '../../kernel/row-problem.js';
import type { RowFailure } from '../../outcomes/model/chunk-result.js';
import { NAMES_TO_FOUND, pathKey } from './resolve/memberships.js';

/** The most different categories that are looked up for one chunk. */
const MAX_LOOKED_UP = 500;

/**
 * Adapts the messages of rows that name a category of an alternate tree. One look-up serves all rows of a chunk, and
 * chunks without such problems need none. Where a row names alternate categories, such a category is no mistake.
 */
export async function explainAlternates(
  db: Db,
  { siteId, names }: { readonly siteId: number; readonly names: { readonly alternates: string } },
  failures: RowFailure[],
): Promise<RowFailure[]> {
  const isMissing = (problem: RowProblem): problem is MissingCategory =>
    problem.code === 'NODE_NOT_FOUND' && problem.value !== undefined && problem.column !== names.alternates;
  const named = new Set<string>();
  for (const { problems } of failures) {
    for (const problem of problems) if (isMissing(problem) && named.size < MAX_LOOKED_UP) named.add(problem.value);
  }
  if (named.size === 0) return failures;
  const found = await findAlternates(db, siteId, [...named]);
  if (found.size === 0) return failures;
  return failures.map((failure) => ({
    ...failure,
    problems: failure.problems.map((problem) =>
      isMissing(problem) ? explain(problem, found.get(problem.value)) : problem,
    ),
  }));
}

type MissingCategory = RowProblem & { readonly value: string };

function explain(problem: RowProblem, path: string | undefined): RowProblem {
  if (path === undefined) return problem;
  const message = `the category "${path}" is in an alternate tree, and items belong to a category of the primary tree: name one of that tree here, and add the item to the alternate category by POST /api-category/v1/category/item`;
  return { ...problem, message };
}

/** @returns what a row wrote (a path or a node id) → the path of the alternate category */
async function findAlternates(db: Db, siteId: number, texts: readonly string[]): Promise<Map<string, string>> {
  const nodeIds = texts.flatMap((text) => (NODE_ID.test(text.trim()) ? [Number(text)] : []));
  const lastNames = texts.map((text) => categoryKey(parsePath(text).at(-1) ?? ''));
  const { rows } = await db.raw<{ rows: { node_id: number; names: string[] }[] }>(
    `SELECT node_id, ${NAMES_TO_FOUND} AS names
     FROM category AS found
     WHERE site_id = ? AND tree = 'ALTERNATE' AND (node_id = ANY (?::bigint[]) OR name_key = ANY (?::text[]))
     LIMIT ${2 * MAX_LOOKED_UP}`,
    [siteId, nodeIds, lastNames.filter((name) => !name.includes('\u0000'))],
  );
  const paths = new Map<string, string>();
  for (const { node_id: nodeId, names } of rows) {
    paths.set(String(nodeId), formatAlternatePath(names));
    paths.set(pathKey(names), formatAlternatePath(names));
  }
  return new Map(
    texts.flatMap((text) => {
      const [path] = [text.trim(), ...parseAlternatePath(text).map(pathKey)].flatMap((key) => paths.get(key) ?? []);
      return path === undefined ? [] : [[text, path]];
    }),
  );
}
