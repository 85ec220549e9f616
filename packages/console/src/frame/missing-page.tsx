/** An address that leads nowhere. */
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
  imports: { en: 'To the imports', de: 'Zu den Importen' },
});

export function MissingPage() {
  const t = useText();
  return (
    <Page title={t('title')}>
      <EmptyState
        title={t('title')}
        icon="question"
        action={
          <ButtonLink kind="primary" to="/$stage/imports" params={{ stage: keptStage() }}>
            {t('imports')}
          </ButtonLink>
        }
      >
        {t('help')}
      </EmptyState>
    </Page>
  );
}
