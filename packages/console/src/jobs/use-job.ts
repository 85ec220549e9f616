/** A job as it is now: while it runs, a request waits for it about once a second, and no longer when it has ended. */
import { type Job, LongshoreError } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useApi, usePresent } from '../session/session-context.js';
import { forgetDefinitions } from './definitions-of-jobs.js';
import { hasEnded } from './job-state.js';

/** Jobs that go on when somebody has decided something. */
const WAIT_FOR_SOMEBODY: readonly Job['status'][] = ['AWAITING_APPROVAL', 'AWAITING_PROFILE', 'AWAITING_UPLOAD'];

/** A job that cannot be followed, because the API is away, is asked for again after so long. */
const AGAIN_MS = 3_000;

export function jobKey(stage: string, id: string) {
  return ['job', stage, id] as const;
}

export function useJob(id: string) {
  const api = useApi();
  const { stage } = usePresent();
  const queries = useQueryClient();
  const query = useQuery({ queryKey: jobKey(stage.name, id), queryFn: ({ signal }) => api.getJob({ id }, { signal }) });
  const isFollowed =
    query.data !== undefined && !hasEnded(query.data) && !WAIT_FOR_SOMEBODY.includes(query.data.status);
  useEffect(() => {
    if (!isFollowed) return;
    const stop = new AbortController();
    const onProgress = (job: Job) => queries.setQueryData(jobKey(stage.name, id), job);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = () => {
      const ended = async () => forgetDefinitions(queries, stage.name);
      api.waitForJob(id, { signal: stop.signal, onProgress }).then(ended, async (failure: unknown) => {
        if (stop.signal.aborted) return;
        // What goes wrong is shown by the query; what will be well again is followed again.
        await queries.invalidateQueries({ queryKey: jobKey(stage.name, id) });
        if (isTemporary(failure) && !stop.signal.aborted) timer = setTimeout(follow, AGAIN_MS);
      });
    };
    follow();
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [api, id, stage.name, queries, isFollowed]);
  return query;
}

function isTemporary(failure: unknown): boolean {
  return failure instanceof LongshoreError && (failure.status === 0 || failure.status === 429 || failure.status >= 500);
}
