/** What the overview asks the API: each part is asked for by itself, so that one that is refused does not hide the others. */
import type { Job } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { SHOWN_DAYS, TIME_ZONE } from './days.js';

/** How many of each kind are named; the link leads to all. */
const NAMED = 5;
/** The API lists so many at once: more are not counted. */
const MOST_COUNTED = 100;
const AGAIN_MS = 60_000;
const RECENT_MS = 7 * 86_400_000;
const MOST_DEFINITIONS = 100;
const MOST_FEEDS = 100;
const NO_NAMES: ReadonlyMap<string, string> = new Map();

const PERIOD = { days: SHOWN_DAYS, timeZone: TIME_ZONE } as const;

export function useJobStatistics() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'jobs'],
    enabled: useMay('catalog:read'),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.getJobStatistics(PERIOD, { signal }),
  });
}

export function useDeliveryStatistics() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'deliveries'],
    enabled: useMay('webhooks:read'),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.getDeliveryStatistics(PERIOD, { signal }),
  });
}

/** The definitions of the stage, with the health of their endpoints. */
export function useDefinitions() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['webhooks', stage.name],
    enabled: useMay('webhooks:read'),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.listWebhooks({ limit: MOST_DEFINITIONS }, { signal }),
  });
}

/** Jobs of a kind: how many there are, and the newest of them. */
export interface CountedJobs {
  readonly count: number;
  /** There may be more: they are not counted further. */
  readonly isLeast: boolean;
  readonly named: readonly Job[];
}

/** The files that nobody has mapped yet. */
export function useHeldJobs() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'held'],
    enabled: useMay('catalog:read'),
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<CountedJobs> => {
      const { count, data } = await api.listJobs({ status: 'AWAITING_PROFILE', limit: NAMED }, { signal });
      return { count, isLeast: false, named: data };
    },
  });
}

/** The jobs that wait for an approval which this person may give: not one's own, unless the stage allows it. */
export function useApprovals() {
  const api = useApi();
  const { session, stage } = usePresent();
  const mayApprove = useMay('catalog:approve');
  return useQuery({
    queryKey: ['overview', stage.name, 'approvals', session.tokenId],
    enabled: [useMay('catalog:read'), mayApprove].every((may) => may),
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<CountedJobs> => {
      const waiting = { status: 'AWAITING_APPROVAL' } as const;
      const own = `token:${session.tokenId}`;
      const [all, ofOwn, { approval }] = await Promise.all([
        api.listJobs({ ...waiting, limit: MOST_COUNTED }, { signal }),
        api.listJobs({ ...waiting, submittedBy: own, limit: 1 }, { signal }),
        api.getSiteSettings({}, { signal }),
      ]);
      if (approval.allowOwn) return { count: all.count, isLeast: false, named: all.data.slice(0, NAMED) };
      const others = all.data.filter(({ submittedBy }) => submittedBy?.actor !== own);
      return { count: all.count - ofOwn.count, isLeast: false, named: others.slice(0, NAMED) };
    },
  });
}

/** The jobs of these types that have failed as a whole in the last days, newest first. */
export function useFailedJobs(types: readonly string[]) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'failed', types],
    enabled: useMay('catalog:read'),
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<CountedJobs> => {
      const { data } = await api.listJobs({ type: types, status: 'FAILED', limit: MOST_COUNTED }, { signal });
      const recent = data.filter(
        ({ createdAt }) => createdAt !== null && Date.now() - Date.parse(createdAt) < RECENT_MS,
      );
      return { count: recent.length, isLeast: recent.length === MOST_COUNTED, named: recent.slice(0, NAMED) };
    },
  });
}

/** The names of feeds by the jobs of their last runs, of the first hundred. */
export function useFeedNames(isWanted: boolean): ReadonlyMap<string, string> {
  const api = useApi();
  const { stage } = usePresent();
  const mayRead = useMay('feeds:read');
  const { data } = useQuery({
    queryKey: ['overview', stage.name, 'feeds'],
    enabled: isWanted && mayRead,
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }) => {
      const { data: feeds } = await api.listFeeds({ limit: MOST_FEEDS }, { signal });
      return new Map(feeds.flatMap(({ name, lastRun }) => (lastRun === null ? [] : [[lastRun.jobId, name]])));
    },
  });
  return data ?? NO_NAMES;
}

/** The jobs of these ids, by their id: those that are gone are missing. */
export function useJobs(ids: readonly string[]) {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'named', ids],
    enabled: ids.length > 0,
    queryFn: async ({ signal }) => {
      const { data } = await api.listJobs({ ids, limit: ids.length }, { signal });
      return new Map(data.map((job) => [job.id, job]));
    },
  });
}
