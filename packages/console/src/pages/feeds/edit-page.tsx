/** Changes a feed. */
import type { InputOf } from '@longshore/client';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { DestinationForm } from './destination-form.js';
import { destinationBodyOf, destinationValuesOf } from './destination-values.js';
import { FeedForm } from './feed-form.js';
import { bodyOf, secretsOf, valuesOf } from './feed-values.js';
import { useFeedText } from './texts.js';
import { type Feed, useFeed, useRefreshFeeds } from './use-feeds.js';
import { ownZone } from './zoned-time.js';

const useText = textsOf('feed-edit', {
  title: { en: 'Edit the feed', de: 'Feed bearbeiten' },
  note: {
    en: 'What it has taken stays known. Whoever saves it is responsible for what it does from then on.',
    de: 'Was er genommen hat, bleibt bekannt. Wer ihn speichert, verantwortet ab dann, was er tut.',
  },
  saved: { en: 'The feed is changed', de: 'Der Feed ist geändert' },
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
      {feed === undefined ? null : <Editor feed={feed} />}
    </Page>
  );
}

function Editor({ feed }: { readonly feed: Feed }) {
  const t = useText();
  const f = useFeedText();
  const api = useApi();
  const refresh = useRefreshFeeds();
  const navigate = useNavigate();
  const params = useParams({ from: '/$stage/feeds/$feedId/edit' });
  const [failure, setFailure] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const save = async ({ direction: _, ...body }: InputOf<'createFeed'>['body']) => {
    setBusy(true);
    setFailure(undefined);
    try {
      await api.updateFeed({ feedId: feed.id, body: { ...body, version: feed.version } });
      await refresh();
      tell({ tone: 'good', title: t('saved') });
      await navigate({ to: '/$stage/feeds/$feedId', params });
    } catch (problem) {
      setFailure(problem);
      setBusy(false);
    }
  };
  const cancel = (
    <ButtonLink to="/$stage/feeds/$feedId" params={params}>
      {f('cancel')}
    </ButtonLink>
  );
  return feed.direction === 'DESTINATION' ? (
    <DestinationForm
      first={destinationValuesOf(feed, ownZone())}
      feed={feed}
      isBusy={isBusy}
      error={failure}
      onSubmit={(values, stays) => void save({ ...destinationBodyOf(values, feed), ...secretsOf(values, stays) })}
    >
      {cancel}
    </DestinationForm>
  ) : (
    <FeedForm
      first={valuesOf(feed, ownZone())}
      feed={feed}
      isBusy={isBusy}
      error={failure}
      onSubmit={(values, stays) => void save({ ...bodyOf(values, feed), ...secretsOf(values, stays) })}
    >
      {cancel}
    </FeedForm>
  );
}
