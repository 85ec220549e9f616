/** What the overview asks the API: each part is asked for by itself, so that one that is refused does not hide the others. */
import type { Job } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { SHOWN_DAYS, TIME_ZONE } from './days.js';

/** How many of each kind are named; the link leads to all. */
const NAMED = 5;
const AGAIN_MS = 60_000;
const RECENT_MS = 7 * 86_400_000;
const MOST_DEFINITIONS = 100;

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

/** The jobs that wait for somebody: how many there are, and the newest of them. */
export function useWaitingJobs(status: 'AWAITING_APPROVAL' | 'AWAITING_PROFILE') {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, status],
    enabled: useMay('catalog:read'),
    refetchInterval: AGAIN_MS,
    queryFn: ({ signal }) => api.listJobs({ status, limit: NAMED }, { signal }),
  });
}

/** The jobs that have failed as a whole in the last days, newest first. */
export function useFailedJobs() {
  const api = useApi();
  const { stage } = usePresent();
  return useQuery({
    queryKey: ['overview', stage.name, 'failed'],
    enabled: useMay('catalog:read'),
    refetchInterval: AGAIN_MS,
    queryFn: async ({ signal }): Promise<readonly Job[]> => {
      const { data } = await api.listJobs({ status: 'FAILED', limit: NAMED }, { signal });
      return data.filter(({ createdAt }) => createdAt !== null && Date.now() - Date.parse(createdAt) < RECENT_MS);
    },
  });
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
