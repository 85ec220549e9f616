/** The published files of a stage: addresses at which the last export is found. */
import type { schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';

export type PublishedFile = schemas.PublishedFile;

/** A stage has at most so many. */
const MOST = 100;
const AGAIN_MS = 10_000;

export function usePublished() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['published-files', stage.name],
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.listPublishedFiles({ limit: MOST }, { signal }),
  });
}

export function useRefreshPublished(): () => Promise<void> {
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: ['published-files'] });
}
