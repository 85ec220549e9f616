/** Makes a feed that sends files. */
import { Link, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Page } from '../../components/page.js';
import { textsOf } from '../../texts/texts.js';
import { DestinationForm } from './destination-form.js';
import { destinationBodyOf, newDestination } from './destination-values.js';
import { secretsOf } from './feed-values.js';
import { useFeedText } from './texts.js';
import { useCreateFeed } from './use-create-feed.js';
import { ownZone } from './zoned-time.js';

const useText = textsOf('destination-new', {
  note: {
    en: 'Longshore writes an export by a schedule or after imports, and sends it there.',
    de: 'Longshore schreibt einen Export nach einem Zeitplan oder nach Importen und sendet ihn dorthin.',
  },
});

export function NewDestinationPage() {
  const t = useText();
  const f = useFeedText();
  const params = useParams({ from: '/$stage/feeds/new-destination' });
  const { create, error, isBusy } = useCreateFeed();
  const back = (
    <Link to="/$stage/feeds" params={params}>
      {f('back')}
    </Link>
  );
  return (
    <Page title={f('addDestination')} note={t('note')} above={back}>
      <DestinationForm
        first={newDestination(ownZone())}
        isBusy={isBusy}
        error={error}
        onSubmit={(values) => void create({ ...destinationBodyOf(values, undefined), ...secretsOf(values, false) })}
      >
        <ButtonLink to="/$stage/feeds" params={params}>
          {f('cancel')}
        </ButtonLink>
      </DestinationForm>
    </Page>
  );
}
