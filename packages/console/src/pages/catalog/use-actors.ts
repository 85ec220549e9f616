/** The names of those who have changed an item: changes have their ids, and jobs their names. */
import type { schemas } from '@longshore/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useApi, usePresent } from '../../session/session-context.js';

/** The API lists so many jobs at once. */
const PAGE = 100;

/** @returns what an actor, such as `token:5f…`, is called; itself where no job says it */
export function useActors(changes: readonly schemas.HistoryEntry[]): (actor: string) => string {
  const api = useApi();
  const { session, stage } = usePresent();
  const jobIds = [...new Set(changes.flatMap(({ jobId }) => jobId ?? []))];
  const { data } = useQuery({
    queryKey: ['actors', stage.name, jobIds],
    enabled: jobIds.length > 0,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const names = new Map<string, string>();
      for (let first = 0; first < jobIds.length; first += PAGE) {
        const jobs = await api.listJobs({ ids: jobIds.slice(first, first + PAGE), limit: PAGE }, { signal });
        for (const { submittedBy, decision } of jobs.data)
          for (const who of [submittedBy, decision?.by ?? null])
            if (who !== null && who.name !== null) names.set(who.actor, who.name);
      }
      return names;
    },
  });
  return (actor) => data?.get(actor) ?? (actor === `token:${session.tokenId}` ? session.name : actor);
}
