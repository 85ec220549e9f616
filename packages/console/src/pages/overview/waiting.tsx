/** What waits for somebody, each with the link to where it is done. */
import type { Job } from '@longshore/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Notice, Section, type Tone } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { IMPORT_TYPES } from '../../jobs/import-types.js';
import { useFormat } from '../../texts/format.js';
import { withoutTurns } from '../../texts/set-apart.js';
import { textsOf } from '../../texts/texts.js';
import { useFailureText } from '../feeds/feed-state.js';
import { type Definition, isSick, useHealthText } from '../webhooks/health.js';
import { type CountedJobs, useApprovals, useFailedJobs, useFeedNames, useHeldJobs } from './use-overview.js';

const useText = textsOf('overview-waiting', {
  title: { en: 'Waits for you', de: 'Wartet auf Sie' },
  nothing: { en: 'Nothing waits for you', de: 'Nichts wartet auf Sie' },
  nothingHelp: {
    en: 'No import needs your approval, none has failed in the last 7 days, and all endpoints answer.',
    de: 'Kein Import braucht Ihre Freigabe, keiner ist in den letzten 7 Tagen gescheitert, und alle Endpunkte antworten.',
  },
  approvals: {
    en: '{count, plural, one {# import needs} other {# imports need}} approval',
    de: '{count, plural, one {# Import braucht} other {# Importe brauchen}} eine Freigabe',
  },
  held: {
    en: '{count, plural, one {# file is} other {# files are}} not mapped yet',
    de: '{count, plural, one {# Datei ist} other {# Dateien sind}} noch nicht zugeordnet',
  },
  failed: {
    en: '{count, plural, one {# import has} other {# imports have}} failed as a whole in the last 7 days',
    de: '{count, plural, one {# Import ist} other {# Importe sind}} in den letzten 7 Tagen ganz gescheitert',
  },
  failedRuns: {
    en: '{count, plural, one {# run of a feed has} other {# runs of feeds have}} failed in the last 7 days',
    de: '{count, plural, one {# Lauf eines Feeds ist} other {# Läufe von Feeds sind}} in den letzten 7 Tagen gescheitert',
  },
  least: { en: '{title}, or more', de: '{title}, oder mehr' },
  sick: {
    en: '{count, plural, one {# endpoint does} other {# endpoints do}} not answer as it should',
    de: '{count, plural, one {# Endpunkt antwortet} other {# Endpunkte antworten}} nicht, wie er soll',
  },
  all: { en: 'Show all', de: 'Alle zeigen' },
  feedRun: { en: 'Run of a feed', de: 'Lauf eines Feeds' },
  noFile: { en: 'Import without a file', de: 'Import ohne Datei' },
});

type Asked<T> = Pick<UseQueryResult<T>, 'data' | 'error' | 'isPending' | 'fetchStatus' | 'refetch'>;

const FEED_RUNS = ['FEED_RUN'] as const;

interface WaitingProps {
  readonly definitions: Asked<readonly Definition[]>;
  /** The page says already that the API has not answered. */
  readonly isToldOfError: boolean;
}

export function Waiting({ definitions, isToldOfError }: WaitingProps) {
  const t = useText();
  const approvals = useApprovals();
  const held = useHeldJobs();
  const imports = useFailedJobs(IMPORT_TYPES.all);
  const runs = useFailedJobs(FEED_RUNS);
  const sick = (definitions.data ?? []).filter(isSick);
  const jobs = [approvals, held, imports, runs];
  const asked: readonly Asked<unknown>[] = [...jobs, definitions];
  // What somebody may not see is not asked for.
  if (asked.some(({ isPending, fetchStatus }) => isPending && fetchStatus !== 'idle')) return null;
  // Of what was not answered nothing is known: it is not said that nothing waits.
  const unknown = asked.filter(({ data, error }) => data === undefined && error !== null);
  const again = () => {
    for (const { refetch } of unknown) void refetch();
  };
  const [first] = unknown;
  const problem = first === undefined || isToldOfError ? null : <ErrorPanel error={first.error} onRetry={again} />;
  if (sick.length + jobs.reduce((sum, { data }) => sum + (data?.count ?? 0), 0) === 0) {
    if (first !== undefined) return problem;
    return (
      <Notice tone="good" title={t('nothing')}>
        <p className="note">{t('nothingHelp')}</p>
      </Notice>
    );
  }
  return (
    <Section title={t('title')}>
      {problem}
      <ul className="waiting">
        <JobsOfKind tone="warn" what="approvals" jobs={approvals.data} outcome="AWAITING_APPROVAL" />
        <JobsOfKind tone="warn" what="held" jobs={held.data} outcome="AWAITING_PROFILE" />
        <JobsOfKind tone="bad" what="failed" jobs={imports.data} outcome="FAILED" />
        <JobsOfKind tone="bad" what="failedRuns" jobs={runs.data} />
        <Kind tone="bad" count={sick.length} title={t('sick', { count: sick.length })}>
          <Endpoints definitions={sick} />
        </Kind>
      </ul>
    </Section>
  );
}

interface JobsOfKindProps {
  readonly tone: Tone;
  readonly what: 'approvals' | 'held' | 'failed' | 'failedRuns';
  readonly jobs: CountedJobs | undefined;
  readonly outcome?: string;
}

function JobsOfKind({ tone, what, jobs, outcome }: JobsOfKindProps) {
  const t = useText();
  if (jobs === undefined) return null;
  const title = t(what, { count: jobs.count });
  return (
    <Kind
      tone={tone}
      count={jobs.count}
      title={jobs.isLeast ? t('least', { title }) : title}
      {...(outcome === undefined ? {} : { outcome })}
    >
      <Jobs jobs={jobs.named} />
    </Kind>
  );
}

interface KindProps {
  readonly tone: Tone;
  readonly count: number;
  readonly title: string;
  /** Of the list of imports that shows all; undefined: all are here. */
  readonly outcome?: string;
  readonly children: ReactNode;
}

function Kind({ tone, count, title, outcome, children }: KindProps) {
  const t = useText();
  const { stage } = useParams({ from: '/$stage' });
  if (count === 0) return null;
  return (
    <li className={`waiting-kind ${tone}`}>
      <h3>{title}</h3>
      {children}
      {outcome === undefined ? null : (
        <Link to="/$stage/imports" params={{ stage }} search={{ outcome }} aria-label={`${t('all')}: ${title}`}>
          {t('all')}
        </Link>
      )}
    </li>
  );
}

function isRun({ type }: Job): boolean {
  return type === 'FEED_RUN';
}

function Jobs({ jobs }: { readonly jobs: readonly Job[] }) {
  const t = useText();
  const format = useFormat();
  const { stage } = useParams({ from: '/$stage' });
  const failureText = useFailureText();
  const feeds = useFeedNames(jobs.some(isRun));
  const textOf = (job: Job) => job.inputFileName ?? feeds.get(job.id) ?? t(isRun(job) ? 'feedRun' : 'noFile');
  const names = distinctNames(jobs, textOf, ({ createdAt }) => (createdAt === null ? '' : format.time(createdAt)));
  return (
    <ul className="waiting-list">
      {jobs.map((job) => {
        const { id, status, inputFileId, statusMessage, reason, createdAt } = job;
        const said = isRun(job) && reason !== null ? failureText(reason) : undefined;
        const name = <bdi>{textOf(job)}</bdi>;
        return (
          <li key={id}>
            {status === 'AWAITING_PROFILE' && inputFileId !== null ? (
              <Link
                to="/$stage/imports/new/$fileId"
                params={{ stage, fileId: inputFileId }}
                aria-label={names.get(job)}
              >
                {name}
              </Link>
            ) : (
              <Link to="/$stage/imports/$jobId" params={{ stage, jobId: id }} aria-label={names.get(job)}>
                {name}
              </Link>
            )}
            <span className="small">
              {createdAt === null ? null : format.ago(createdAt)}
              {status !== 'FAILED' || statusMessage === null ? null : (
                <>
                  {' · '}
                  {said ?? <span lang="en">{withoutTurns(statusMessage)}</span>}
                </>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function Endpoints({ definitions }: { readonly definitions: readonly Definition[] }) {
  const health = useHealthText();
  const { stage } = useParams({ from: '/$stage' });
  const names = distinctNames(
    definitions,
    ({ target }) => target,
    ({ events }) => events.join(', '),
  );
  return (
    <ul className="waiting-list">
      {definitions.map((definition) => (
        <li key={definition.webhookId}>
          <Link
            to="/$stage/webhooks/$webhookId"
            params={{ stage, webhookId: definition.webhookId }}
            aria-label={names.get(definition)}
          >
            <bdi>{definition.target}</bdi>
          </Link>
          <span className="small">{health(definition)}</span>
        </li>
      ))}
    </ul>
  );
}
