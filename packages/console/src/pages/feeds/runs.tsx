/** The runs of a feed, newest first: why each began, and what it did. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Badge, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Pager } from '../../components/pager.js';
import { type Column, DataTable } from '../../components/table.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { runToneOf, useRunStateText } from './feed-state.js';
import { RunFacts } from './run-facts.js';
import type { Feed, FeedRun } from './use-feeds.js';

const PAGE = 10;

const useText = textsOf('feed-runs', {
  title: { en: 'Runs', de: 'Läufe' },
  none: {
    en: 'It has not run yet. “Run now” begins at once.',
    de: 'Noch nie gelaufen. „Jetzt laufen“ beginnt sofort.',
  },
  nonePaused: { en: 'It has not run yet.', de: 'Noch nie gelaufen.' },
  when: { en: 'When', de: 'Wann' },
  outcome: { en: 'Outcome', de: 'Ergebnis' },
  what: { en: 'What it did', de: 'Was er tat' },
  why: { en: 'Why', de: 'Warum' },
  SCHEDULE: { en: 'by the schedule', de: 'nach Zeitplan' },
  RETRY: { en: 'again after a failure', de: 'erneut nach einem Fehler' },
  AFTER: { en: 'after imports', de: 'nach Importen' },
  ARRIVAL: { en: 'a new file had arrived', de: 'eine neue Datei war da' },
  TRIGGER: { en: 'its address was called', de: 'seine Adresse wurde aufgerufen' },
  REQUEST: { en: 'on request', de: 'auf Anforderung' },
  late: {
    en: '{count, plural, one {# minute late} other {# minutes late}}',
    de: '{count, plural, one {# Minute zu spät} other {# Minuten zu spät}}',
  },
});

export function Runs({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const { page = 1, files } = useSearch({ from: '/$stage/feeds/$feedId' });
  const navigate = useNavigate({ from: '/$stage/feeds/$feedId' });
  const { id: feedId, lastRun } = feed;
  const { data, error, refetch } = useQuery({
    // What the feed says of its last run changes when there is something new here.
    queryKey: ['feed-runs', stage.name, feedId, page, lastRun?.jobId, lastRun?.status, lastRun?.imports.unended],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => api.listFeedRuns({ feedId, offset: (page - 1) * PAGE, limit: PAGE }, { signal }),
  });
  const columns = useColumns();
  const turn = (next: number) =>
    void navigate({ search: { ...(next === 1 ? {} : { page: next }), ...(files === undefined ? {} : { files }) } });
  return (
    <Section title={t('title')}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.count === 0 ? (
        <p className="note">{t(feed.state === 'PAUSED' ? 'nonePaused' : 'none')}</p>
      ) : (
        <DataTable caption={t('title')} columns={columns} rows={data.data} keyOf={({ jobId }) => jobId} />
      )}
      <Pager page={page} size={PAGE} count={data?.count ?? 0} onPage={turn} />
    </Section>
  );
}

function useColumns(): readonly Column<FeedRun>[] {
  const t = useText();
  const format = useFormat();
  const stateText = useRunStateText();
  return [
    {
      id: 'when',
      title: t('when'),
      isHeader: true,
      cell: ({ createdAt }) => <time dateTime={createdAt}>{format.time(createdAt)}</time>,
    },
    { id: 'outcome', title: t('outcome'), cell: (run) => <Badge tone={runToneOf(run)}>{stateText(run)}</Badge> },
    { id: 'what', title: t('what'), cell: (run) => <RunFacts run={run} /> },
    {
      id: 'why',
      title: t('why'),
      isMinor: true,
      cell: ({ cause, lateByMinutes }) => (
        <span className="stacked">
          <span>{t(cause)}</span>
          {lateByMinutes === 0 ? null : <span className="small">{t('late', { count: lateByMinutes })}</span>}
        </span>
      ),
    },
  ];
}
