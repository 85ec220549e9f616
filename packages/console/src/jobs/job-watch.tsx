/** Asks now and then for the jobs that were begun here, all of them at once, and tells of those that have ended. */
import type { Job } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Text } from 'react-aria-components/Text';
import { tell } from '../components/toasts.js';
import { useLoggedIn } from '../session/logged-in.js';
import { apiOf } from '../session/session-context.js';
import { textsOf } from '../texts/texts.js';
import { forgetDefinitions } from './definitions-of-jobs.js';
import { hasEnded, isPreview, stateOf, toneOf } from './job-state.js';
import { onWatchedJobs, unwatchJobs, type WatchedJob, watchedJobs } from './watched-jobs.js';

const ASK_MS = 4_000;

const useText = textsOf('job-watch', {
  done: { en: '{name}: imported', de: '{name}: importiert' },
  partly: {
    en: '{name}: imported, {count, plural, one {# row failed} other {# rows failed}}',
    de: '{name}: importiert, {count, plural, one {# Zeile fehlgeschlagen} other {# Zeilen fehlgeschlagen}}',
  },
  unremoved: {
    en: '{name}: imported, and nothing was removed',
    de: '{name}: importiert, und nichts wurde entfernt',
  },
  failed: { en: '{name}: not imported', de: '{name}: nicht importiert' },
  written: { en: '{name}: the file is ready', de: '{name}: Die Datei ist fertig' },
  unwritten: { en: '{name}: the file was not written', de: '{name}: Die Datei wurde nicht geschrieben' },
  waits: { en: '{name}: needs an approval', de: '{name}: braucht eine Freigabe' },
  show: { en: 'Show the result', de: 'Ergebnis ansehen' },
});

export function JobWatch() {
  const t = useText();
  const { session } = useLoggedIn();
  const queries = useQueryClient();
  const jobs = useSyncExternalStore(onWatchedJobs, watchedJobs);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const present = useRef({ t, path });
  present.current = { t, path };
  useEffect(() => {
    if (jobs.length === 0) return;
    const stop = new AbortController();
    const report = (watched: WatchedJob, job: Job) => {
      const { t: text, path: shown } = present.current;
      // Who looks at the job sees it there.
      if (shown.endsWith(isExport(job) ? '/exports' : `/${job.id}`) && !document.hidden) return;
      const content = <Ended watched={watched} job={job} />;
      tell({ tone: toneOf(job), title: text(keyOf(job), valuesOf(watched, job)), content });
    };
    const ask = async () => {
      for (const stage of new Set(jobs.map((job) => job.stage))) {
        const ids = jobs.filter((job) => job.stage === stage).map(({ id }) => id);
        const { data } = await apiOf(session.accountId, stage).listJobs({ ids, limit: 100 }, { signal: stop.signal });
        const ended = data.filter((job) => hasEnded(job) || job.status === 'AWAITING_APPROVAL');
        if (ended.length > 0) void forgetDefinitions(queries, stage);
        for (const job of ended) {
          const watched = jobs.find(({ id }) => id === job.id);
          if (watched !== undefined && !isPreview(job)) report(watched, job);
        }
        // What is not there any more is not waited for.
        unwatchJobs(ids.filter((id) => !data.some((job) => job.id === id) || ended.some((job) => job.id === id)));
      }
    };
    // An outage is shown by the page; here the next time asks again.
    const timer = setInterval(() => void ask().catch(() => undefined), ASK_MS);
    return () => {
      clearInterval(timer);
      stop.abort();
    };
  }, [jobs, queries, session.accountId]);
  return null;
}

interface EndedProps {
  readonly watched: WatchedJob;
  readonly job: Job;
}

function Ended({ watched, job }: EndedProps) {
  const t = useText();
  return (
    <>
      <Text slot="title">{t(keyOf(job), valuesOf(watched, job))}</Text>
      {isExport(job) ? (
        <Link to="/$stage/exports" params={{ stage: watched.stage }} search={{ job: job.id }}>
          {t('show')}
        </Link>
      ) : (
        <Link to="/$stage/imports/$jobId" params={{ stage: watched.stage, jobId: job.id }}>
          {t('show')}
        </Link>
      )}
    </>
  );
}

function valuesOf({ name }: WatchedJob, { progressTracker }: Job) {
  return { name, count: progressTracker.errorCount };
}

function isExport({ type }: Job): boolean {
  return type.endsWith('_EXPORT');
}

function keyOf(job: Job): 'waits' | 'failed' | 'partly' | 'unremoved' | 'done' | 'written' | 'unwritten' {
  const isDone = job.status.startsWith('COMPLETED');
  if (job.status === 'AWAITING_APPROVAL') return 'waits';
  if (isExport(job)) return isDone ? 'written' : 'unwritten';
  if (!isDone) return 'failed';
  if (job.progressTracker.errorCount > 0) return 'partly';
  return stateOf(job) === 'notRemoved' ? 'unremoved' : 'done';
}
