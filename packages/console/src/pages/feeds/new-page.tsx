/** Makes a feed that takes files. */
import { Link, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Page } from '../../components/page.js';
import { textsOf } from '../../texts/texts.js';
import { FeedForm } from './feed-form.js';
import { bodyOf, newValues, secretsOf } from './feed-values.js';
import { useFeedText } from './texts.js';
import { useCreateFeed } from './use-create-feed.js';
import { ownZone } from './zoned-time.js';

const useText = textsOf('feed-new', {
  note: {
    en: 'Longshore looks there by a schedule, and imports each new file once.',
    de: 'Longshore sieht dort nach einem Zeitplan nach und importiert jede neue Datei einmal.',
  },
});

export function NewFeedPage() {
  const t = useText();
  const f = useFeedText();
  const params = useParams({ from: '/$stage/feeds/new' });
  const { create, error, isBusy } = useCreateFeed();
  const back = (
    <Link to="/$stage/feeds" params={params}>
      {f('back')}
    </Link>
  );
  return (
    <Page title={f('add')} note={t('note')} above={back}>
      <FeedForm
        first={newValues(ownZone())}
        isBusy={isBusy}
        error={error}
        onSubmit={(values) => void create({ ...bodyOf(values, undefined), ...secretsOf(values, false) })}
      >
        <ButtonLink to="/$stage/feeds" params={params}>
          {f('cancel')}
        </ButtonLink>
      </FeedForm>
    </Page>
  );
}
