/** Makes a feed. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { FeedForm } from './feed-form.js';
import { bodyOf, type FeedValues, newValues, secretsOf } from './feed-values.js';
import { useFeedText } from './texts.js';
import { useRefreshFeeds } from './use-feeds.js';
import { ownZone } from './zoned-time.js';

const useText = textsOf('feed-new', {
  note: {
    en: 'Longshore looks there by a schedule, and imports each new file once.',
    de: 'Longshore sieht dort nach einem Zeitplan nach und importiert jede neue Datei einmal.',
  },
  saved: { en: 'The feed is saved', de: 'Der Feed ist gespeichert' },
});

export function NewFeedPage() {
  const t = useText();
  const f = useFeedText();
  const api = useApi();
  const refresh = useRefreshFeeds();
  const navigate = useNavigate();
  const params = useParams({ from: '/$stage/feeds/new' });
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const create = async (values: FeedValues) => {
    setBusy(true);
    setError(undefined);
    try {
      const { id } = await api.createFeed({ body: { ...bodyOf(values, undefined), ...secretsOf(values, false) } });
      await refresh();
      tell({ tone: 'good', title: t('saved') });
      await navigate({ to: '/$stage/feeds/$feedId', params: { ...params, feedId: id } });
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const back = (
    <Link to="/$stage/feeds" params={params}>
      {f('back')}
    </Link>
  );
  return (
    <Page title={f('add')} note={t('note')} above={back}>
      <FeedForm first={newValues(ownZone())} isBusy={isBusy} error={error} onSubmit={create}>
        <ButtonLink to="/$stage/feeds" params={params}>
          {f('cancel')}
        </ButtonLink>
      </FeedForm>
    </Page>
  );
}
