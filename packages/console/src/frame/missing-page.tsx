/** An address that leads nowhere, or to what is not for whoever is logged in. */
import { ButtonLink } from '../components/button.js';
import { EmptyState } from '../components/content.js';
import { Page } from '../components/page.js';
import { keptStage } from '../session/kept-stage.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('missing', {
  title: { en: 'There is no such page', de: 'Diese Seite gibt es nicht' },
  help: {
    en: 'The address leads nowhere. Begin with the imports.',
    de: 'Die Adresse führt nirgendwohin. Beginnen Sie bei den Importen.',
  },
  refused: { en: 'You may not do this', de: 'Das dürfen Sie nicht' },
  refusedHelp: {
    en: 'This page is for those who change something, and your role is another. Ask the owner of the account for it.',
    de: 'Diese Seite ist für Leute, die etwas ändern, und Ihre Rolle ist eine andere. Bitten Sie den Inhaber des Kontos darum.',
  },
  imports: { en: 'To the imports', de: 'Zu den Importen' },
});

export function MissingPage() {
  const t = useText();
  return <NoPage title={t('title')} help={t('help')} />;
}

export function RefusedPage() {
  const t = useText();
  return <NoPage title={t('refused')} help={t('refusedHelp')} />;
}

function NoPage({ title, help }: { readonly title: string; readonly help: string }) {
  const t = useText();
  return (
    <Page title={title}>
      <EmptyState
        title={title}
        icon="question"
        action={
          <ButtonLink kind="primary" to="/$stage/imports" params={{ stage: keptStage() }}>
            {t('imports')}
          </ButtonLink>
        }
      >
        {help}
      </EmptyState>
    </Page>
  );
}
