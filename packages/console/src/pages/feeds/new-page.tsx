/** Makes a feed that takes files, or one that sends them. */
import { Link } from '@tanstack/react-router';
import { Page } from '../../components/page.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { DESTINATION } from './destination-kind.js';
import { FeedForm } from './feed-form.js';
import type { FormKind, FormValues } from './form-kind.js';
import { SOURCE } from './source-kind.js';
import { useFeedText } from './texts.js';

const useText = textsOf('feed-new', {
  SOURCE: {
    en: 'Longshore looks there by a schedule, and imports each new file once.',
    de: 'Longshore sieht dort nach einem Zeitplan nach und importiert jede neue Datei einmal.',
  },
  DESTINATION: {
    en: 'Longshore writes an export by a schedule or after imports, and sends it there.',
    de: 'Longshore schreibt einen Export nach einem Zeitplan oder nach Importen und sendet ihn dorthin.',
  },
});

export function NewFeedPage() {
  return <NewPage kind={SOURCE} />;
}

export function NewDestinationPage() {
  return <NewPage kind={DESTINATION} />;
}

function NewPage<V extends FormValues>({ kind }: { readonly kind: FormKind<V> }) {
  const t = useText();
  const f = useFeedText();
  const { stage } = usePresent();
  const back = (
    <Link to="/$stage/feeds" params={{ stage: stage.name }}>
      {f('back')}
    </Link>
  );
  const title = f(kind.direction === 'SOURCE' ? 'add' : 'addDestination');
  return (
    <Page title={title} note={t(kind.direction)} above={back}>
      <FeedForm kind={kind} />
    </Page>
  );
}
