/** The feeds of a stage, and one of them: asked for again while one looks, more often while a run goes on. */
import type { schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';

export type Feed = schemas.Feed;
export type FeedRun = schemas.FeedRun;

const PAGE = 100;
const AGAIN_MS = 15_000;
const WHILE_RUNNING_MS = 1_500;

/** All feeds of the stage: it has at most 200. */
export function useFeeds() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['feeds', stage.name],
    queryFn: async ({ signal }) => {
      const found: Feed[] = [];
      for (;;) {
        const { data, count } = await api.listFeeds({ offset: found.length, limit: PAGE }, { signal });
        found.push(...data);
        if (data.length === 0 || found.length >= count) return found;
      }
    },
    refetchInterval: ({ state }) => (state.data?.some(isBusy) === true ? WHILE_RUNNING_MS : AGAIN_MS),
  });
}

export function useFeed(feedId: string) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['feed', stage.name, feedId],
    queryFn: ({ signal }) => api.getFeed({ feedId }, { signal }),
    refetchInterval: ({ state }) => (state.data !== undefined && isBusy(state.data) ? WHILE_RUNNING_MS : AGAIN_MS),
  });
}

/** Asks anew for all that is shown of feeds. */
export function useRefreshFeeds(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    const shown = ['feed', 'feeds', 'feed-runs', 'feed-files'];
    await Promise.all(shown.map((key) => queries.invalidateQueries({ queryKey: [key] })));
  };
}

/** Whether its run goes on. */
export function isRunning({ lastRun }: Feed): boolean {
  return lastRun !== null && lastRun.status !== null && lastRun.completedAt === null;
}

/** Whether its run goes on, or what that has taken is still being imported. */
function isBusy(feed: Feed): boolean {
  return isRunning(feed) || (feed.lastRun?.imports.unended ?? 0) > 0;
}
