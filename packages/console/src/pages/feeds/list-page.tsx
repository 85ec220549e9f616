/** The feeds of a stage: where each looks, when it runs next, and what its last run did. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { type Column, DataTable } from '../../components/table.js';
import { useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { placeOf } from './connection-values.js';
import { toneOf, useFailureText, usePauseText, useStateText } from './feed-state.js';
import { RemoveDialog } from './remove-dialog.js';
import { RunFacts } from './run-facts.js';
import { zoneOf } from './schedule.js';
import { useScheduleText } from './schedule-text.js';
import { useFeedText } from './texts.js';
import { useFeedActions } from './use-feed-actions.js';
import { type Feed, isRunning, useFeeds } from './use-feeds.js';
import { ZonedTime } from './zoned-time.js';

const useText = textsOf('feeds-list', {
  note: {
    en: 'Files that come and go by themselves: Longshore looks where you say and imports each new file once, or sends exports where you say.',
    de: 'Dateien, die von selbst kommen und gehen: Longshore sieht nach, wo Sie es sagen, und importiert jede neue Datei einmal, oder sendet Exporte dorthin.',
  },
  emptyTitle: { en: 'No file comes by itself yet', de: 'Noch kommt keine Datei von selbst' },
  empty: {
    en: 'Does your ERP or a supplier put files on a server, in a folder or at an address? Say where, test the connection, and choose when Longshore looks there.',
    de: 'Legt Ihr ERP oder ein Lieferant Dateien auf einen Server, in einen Ordner oder unter eine Adresse? Sagen Sie wo, testen Sie die Verbindung und wählen Sie, wann Longshore nachsieht.',
  },
  never: { en: 'has not run yet', de: 'noch nie gelaufen' },
  actions: { en: 'Actions', de: 'Aktionen' },
  run: { en: 'Run now', de: 'Jetzt laufen' },
  runOf: { en: 'Run now: {name}', de: 'Jetzt laufen: {name}' },
  pause: { en: 'Pause', de: 'Pausieren' },
  pauseOf: { en: 'Pause: {name}', de: 'Pausieren: {name}' },
  resume: { en: 'Go on', de: 'Weiterlaufen' },
  resumeOf: { en: 'Go on: {name}', de: 'Weiterlaufen: {name}' },
  remove: { en: 'Delete', de: 'Löschen' },
  removeOf: { en: 'Delete: {name}', de: 'Löschen: {name}' },
});

export function FeedsPage() {
  const t = useText();
  const f = useFeedText();
  const format = useFormat();
  const params = useParams({ from: '/$stage/feeds' });
  const mayWrite = useMay('feeds:write');
  const { data, error, refetch } = useFeeds();
  const actions = useFeedActions();
  const [removed, setRemoved] = useState<Feed>();
  const columns = useColumns(mayWrite, actions, setRemoved);
  const add = mayWrite ? (
    <>
      <ButtonLink kind="primary" icon="feeds" to="/$stage/feeds/new" params={params}>
        {f('add')}
      </ButtonLink>
      <ButtonLink icon="send" to="/$stage/feeds/new-destination" params={params}>
        {f('addDestination')}
      </ButtonLink>
    </>
  ) : null;
  return (
    <Page title={f('title')} note={t('note')} actions={data === undefined || data.length === 0 ? null : add}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {actions.error === undefined ? null : <ErrorPanel error={actions.error} />}
      {data === undefined ? null : data.length === 0 ? (
        <EmptyState title={t('emptyTitle')} icon="feeds" action={<div className="actions">{add}</div>}>
          {t('empty')}
        </EmptyState>
      ) : (
        <DataTable caption={f('title')} columns={columns} rows={format.byName(data)} keyOf={({ id }) => id} />
      )}
      {removed === undefined ? null : <RemoveDialog feed={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  );
}

function useColumns(
  mayWrite: boolean,
  { act, busy }: ReturnType<typeof useFeedActions>,
  onRemove: (feed: Feed) => void,
): readonly Column<Feed>[] {
  const t = useText();
  const f = useFeedText();
  const { stage } = usePresent();
  return [
    {
      id: 'name',
      title: f('name'),
      isHeader: true,
      cell: ({ id, name, connection, direction }) => (
        <span className="import-name">
          <Link to="/$stage/feeds/$feedId" params={{ stage: stage.name, feedId: id }}>
            <bdi>{name}</bdi>
          </Link>
          <span className="small">
            {f(direction === 'SOURCE' ? 'takesFrom' : 'sendsTo')} {f(connection.kind as 'sftp')} ·{' '}
            <bdi>{placeOf(connection)}</bdi>
          </span>
        </span>
      ),
    },
    { id: 'state', title: f('state'), cell: (feed) => <State feed={feed} /> },
    { id: 'next', title: f('nextRun'), isMinor: true, cell: (feed) => <Next feed={feed} /> },
    { id: 'last', title: f('lastRun'), cell: (feed) => <Last feed={feed} /> },
    ...(mayWrite
      ? [
          {
            id: 'actions',
            title: t('actions'),
            cell: (feed: Feed) => {
              const { name, state } = feed;
              const isPaused = state === 'PAUSED';
              return (
                <span className="row-actions">
                  {isPaused ? null : (
                    <Button
                      aria-label={t('runOf', { name })}
                      isPending={busy === feed.id || isRunning(feed)}
                      onPress={() => void act(feed, 'run')}
                    >
                      {t('run')}
                    </Button>
                  )}
                  <Button
                    aria-label={t(isPaused ? 'resumeOf' : 'pauseOf', { name })}
                    isPending={busy === feed.id}
                    onPress={() => void act(feed, isPaused ? 'resume' : 'pause')}
                  >
                    {t(isPaused ? 'resume' : 'pause')}
                  </Button>
                  <Button kind="danger" aria-label={t('removeOf', { name })} onPress={() => onRemove(feed)}>
                    {t('remove')}
                  </Button>
                </span>
              );
            },
          },
        ]
      : []),
  ];
}

function State({ feed }: { readonly feed: Feed }) {
  const stateText = useStateText();
  const pauseText = usePauseText();
  const failureText = useFailureText();
  const { pauseReason, lastFailure, state } = feed;
  const pause = state === 'PAUSED' && pauseReason !== null ? pauseText(pauseReason) : undefined;
  return (
    <span className="stacked">
      <Badge tone={toneOf(feed)}>{stateText(feed)}</Badge>
      {pause === undefined ? null : (
        <span className="small" {...(pause.isSaid ? { lang: 'en' } : {})}>
          {pause.text}
        </span>
      )}
      {pause !== undefined || lastFailure === null ? null : (
        <span className="small">{failureText(lastFailure.code) ?? <span lang="en">{lastFailure.message}</span>}</span>
      )}
    </span>
  );
}

function Next({ feed }: { readonly feed: Feed }) {
  const f = useFeedText();
  const scheduleText = useScheduleText();
  const { nextRunAt, schedule, after } = feed;
  const followed = after === null ? undefined : f('afterImports', { name: after.feed });
  return (
    <span className="stacked">
      {nextRunAt === null ? '–' : <ZonedTime at={nextRunAt} zone={zoneOf(schedule)} />}
      {schedule === null && followed !== undefined ? null : (
        <span className="small">{schedule === null ? f('onRequest') : scheduleText(schedule)}</span>
      )}
      {followed === undefined ? null : <bdi className="small">{followed}</bdi>}
    </span>
  );
}

function Last({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const format = useFormat();
  const { lastRun, lastRunAt } = feed;
  if (lastRunAt === null) return <span className="small">{t('never')}</span>;
  return (
    <span className="stacked">
      <time dateTime={lastRunAt}>{format.ago(lastRunAt)}</time>
      {lastRun === null ? null : <RunFacts run={lastRun} isShort />}
    </span>
  );
}
