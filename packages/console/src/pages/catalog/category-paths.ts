/** The paths of categories of which only node ids are known. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';
import { pathOf } from './category-pick.js';
import { categoriesKey } from './category-tree.js';

const PAGE = 100;

/** @returns node id → path as people read it; of one that is not there any more undefined, and `…` until it is known */
export function useCategoryPaths(nodeIds: readonly number[]): (nodeId: number) => string | undefined {
  const api = useApi();
  const { stage } = usePresent();
  const wanted = [...new Set(nodeIds)].sort((a, b) => a - b);
  const { data, isFetching } = useQuery({
    queryKey: [...categoriesKey(stage.name), 'paths', wanted],
    enabled: wanted.length > 0,
    // Those that were known are still shown while one that was added is asked for.
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const found = new Map<number, string>();
      for (let start = 0; start < wanted.length; start += PAGE) {
        const nodes = wanted.slice(start, start + PAGE);
        const page = await api.listCategories({ nodeIds: nodes, limit: PAGE }, { signal });
        for (const category of page.data) found.set(category.nodeId, pathOf(category));
      }
      return found;
    },
  });
  return (nodeId) => data?.get(nodeId) ?? (isFetching ? '…' : undefined);
}
