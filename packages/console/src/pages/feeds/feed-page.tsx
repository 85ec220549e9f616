/** One feed: how it is doing, what it is told to do, what its runs did, and which files it has taken. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { placeOf } from './connection-values.js';
import { FeedCondition } from './feed-condition.js';
import { FeedFacts } from './feed-facts.js';
import { toneOf, useStateText } from './feed-state.js';
import { RemoveDialog } from './remove-dialog.js';
import { Runs } from './runs.js';
import { TakenFiles } from './taken-files.js';
import { useFeedText } from './texts.js';
import { TriggerSection } from './trigger-section.js';
import { useFeedActions } from './use-feed-actions.js';
import { type Feed, isRunning, useFeed } from './use-feeds.js';

const useText = textsOf('feed-page', {
  run: { en: 'Run now', de: 'Jetzt laufen' },
  pause: { en: 'Pause', de: 'Pausieren' },
  resume: { en: 'Go on', de: 'Weiterlaufen' },
  remove: { en: 'Delete', de: 'Löschen' },
});

export function FeedPage() {
  const f = useFeedText();
  const params = useParams({ from: '/$stage/feeds/$feedId' });
  const { data, error, refetch } = useFeed(params.feedId);
  const back = (
    <Link to="/$stage/feeds" params={params}>
      {f('back')}
    </Link>
  );
  if (data === undefined) {
    return (
      <Page title={f('title')} above={back}>
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Shown key={data.id} feed={data} back={back} />;
}

function Shown({ feed, back }: { readonly feed: Feed; readonly back: React.ReactNode }) {
  const f = useFeedText();
  const stateText = useStateText();
  const mayWrite = useMay('feeds:write');
  const { act, busy, error } = useFeedActions();
  const { name, connection, direction } = feed;
  const takesAgain = mayWrite && feed.state === 'ACTIVE' && busy === undefined && !isRunning(feed);
  const onAgain = takesAgain ? (file: string) => void act(feed, { takeAgain: file }) : undefined;
  const note = (
    <span className="job-note">
      <Badge tone={toneOf(feed)}>{stateText(feed)}</Badge>
      <span>
        {f(direction === 'SOURCE' ? 'takesFrom' : 'sendsTo')} {f(connection.kind as 'sftp')} ·{' '}
        <bdi>{placeOf(connection)}</bdi>
      </span>
    </span>
  );
  return (
    <Page
      title={name}
      note={note}
      above={back}
      actions={mayWrite ? <Actions feed={feed} act={act} isBusy={busy !== undefined} /> : null}
    >
      {error === undefined ? null : <ErrorPanel error={error} />}
      <FeedCondition feed={feed} />
      <Runs feed={feed} />
      {feed.direction === 'SOURCE' ? <TakenFiles feed={feed} onAgain={onAgain} /> : null}
      <FeedFacts feed={feed} />
      <TriggerSection feed={feed} />
    </Page>
  );
}

interface ActionsProps {
  readonly feed: Feed;
  readonly act: ReturnType<typeof useFeedActions>['act'];
  readonly isBusy: boolean;
}

function Actions({ feed, act, isBusy }: ActionsProps) {
  const t = useText();
  const f = useFeedText();
  const navigate = useNavigate();
  const params = useParams({ from: '/$stage/feeds/$feedId' });
  const [isRemoving, setRemoving] = useState(false);
  const isPaused = feed.state === 'PAUSED';
  return (
    <>
      {isPaused ? (
        <Button kind="primary" icon="play" isPending={isBusy} onPress={() => void act(feed, 'resume')}>
          {t('resume')}
        </Button>
      ) : (
        <>
          <Button
            kind="primary"
            icon="play"
            isPending={isBusy || isRunning(feed)}
            onPress={() => void act(feed, 'run')}
          >
            {t('run')}
          </Button>
          <Button icon="pause" isPending={isBusy} onPress={() => void act(feed, 'pause')}>
            {t('pause')}
          </Button>
        </>
      )}
      <ButtonLink icon="edit" to="/$stage/feeds/$feedId/edit" params={params}>
        {f('edit')}
      </ButtonLink>
      <Button kind="danger" onPress={() => setRemoving(true)}>
        {t('remove')}
      </Button>
      {isRemoving ? (
        <RemoveDialog
          feed={feed}
          onClose={() => setRemoving(false)}
          onRemoved={() => navigate({ to: '/$stage/feeds', params: { stage: params.stage } })}
        />
      ) : null}
    </>
  );
}
