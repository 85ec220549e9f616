/** The categories that an export had, or may have had, and has no longer, of those that have changed since. */
import { formatPath } from '../../catalog/categories/category-path.js';
import type { ChangedCategory } from '../../changes/definitions-since.js';
import type { CategoryMatch } from '../model/export-spec.js';
import type { LeftRecord } from '../write/with-operation.js';
import type { CategoryTree } from './category-tree.js';

/**
 * Each path of one of them, unless a category of the export has it now: somebody who adds up such files would keep it otherwise.
 * @param matching the ids of the categories of the whole export
 * @param tree none of its categories was renamed or moved since
 */
export function leftCategories(
  { ids, tree: wanted }: CategoryMatch,
  changed: readonly ChangedCategory[],
  matching: ReadonlySet<string>,
  tree: CategoryTree,
): LeftRecord[] {
  const gone = new Map(changed.flatMap(({ id, was }) => (was === null || tree.find(id) ? [] : [[id, was] as const])));
  const lineage = (id: string): string[] => {
    const category = tree.find(id);
    if (category !== undefined) return tree.lineage(category);
    const was = gone.get(id);
    return was === undefined ? [] : [...(was.parentId === null ? [] : lineage(was.parentId)), was.name];
  };
  const keyOf = (kind: string, path: string) => `${kind} ${path}`;
  const present = new Set(
    [...matching].flatMap((id) => {
      const category = tree.find(id);
      return category === undefined ? [] : [keyOf(category.tree, formatPath(tree.lineage(category)))];
    }),
  );
  const left = new Map<string, LeftRecord>();
  for (const { id } of changed) {
    const type = tree.find(id)?.tree ?? gone.get(id)?.tree;
    // Its assignments were deleted with it: that is another change.
    if (type === undefined) continue;
    const path = formatPath(lineage(id));
    const isWanted = (ids === undefined || ids.includes(id)) && (wanted === undefined || wanted === type);
    if (!isWanted || present.has(keyOf(type, path))) continue;
    left.set(keyOf(type, path), { cells: { 'Category Path': path, Type: type }, element: { path, type } });
  }
  return [...left].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, record]) => record);
}
