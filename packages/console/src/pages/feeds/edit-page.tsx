/** Changes a feed. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { textsOf } from '../../texts/texts.js';
import { DESTINATION } from './destination-kind.js';
import { FeedForm } from './feed-form.js';
import { SOURCE } from './source-kind.js';
import { useFeedText } from './texts.js';
import { type Feed, useFeed } from './use-feeds.js';

const useText = textsOf('feed-edit', {
  title: { en: 'Edit the feed', de: 'Feed bearbeiten' },
  note: {
    en: 'What it has taken stays known. Whoever saves it is responsible for what it does from then on.',
    de: 'Was er genommen hat, bleibt bekannt. Wer ihn speichert, verantwortet ab dann, was er tut.',
  },
});

export function EditFeedPage() {
  const t = useText();
  const f = useFeedText();
  const params = useParams({ from: '/$stage/feeds/$feedId/edit' });
  const { data, error, refetch } = useFeed(params.feedId);
  // What somebody else saves meanwhile does not change what is typed here: the API says so.
  const [feed, setFeed] = useState<Feed>();
  if (feed === undefined && data !== undefined) setFeed(data);
  const back = (
    <Link to="/$stage/feeds/$feedId" params={params}>
      <bdi>{data?.name ?? f('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {feed === undefined ? null : feed.direction === 'DESTINATION' ? (
        <FeedForm kind={DESTINATION} feed={feed} />
      ) : (
        <FeedForm kind={SOURCE} feed={feed} />
      )}
    </Page>
  );
}
