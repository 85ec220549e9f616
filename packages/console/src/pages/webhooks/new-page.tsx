/** Makes a webhook, and shows its secret, which nobody sees again. */
import type { AnswerOf } from '@longshore/client';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { OneTimeText } from '../../components/copied.js';
import { Page } from '../../components/page.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import { DefinitionForm } from './definition-form.js';
import { bodyOf, type DefinitionValues, NEW_VALUES, SECRETS } from './definition-values.js';
import { TestSend } from './test-send.js';
import { useWebhookText } from './texts.js';
import { useRefresh } from './use-definition.js';

const useText = textsOf('webhook-new', {
  note: {
    en: 'Longshore calls this address when something happens.',
    de: 'Longshore ruft diese Adresse auf, wenn etwas geschieht.',
  },
  create: { en: 'Create the webhook', de: 'Webhook anlegen' },
  made: { en: 'The webhook is there', de: 'Der Webhook ist angelegt' },
  secret: { en: 'Its secret', de: 'Sein Geheimnis' },
  secretNote: {
    en: 'Your server checks with it that requests come from Longshore. It is shown only now: keep it where your server finds it.',
    de: 'Damit prüft Ihr Server, dass Aufrufe von Longshore kommen. Es wird nur jetzt gezeigt: Bewahren Sie es dort auf, wo Ihr Server es findet.',
  },
  signature: { en: 'How to check the signature', de: 'So prüfen Sie die Signatur' },
  open: { en: 'Done, open the webhook', de: 'Fertig, Webhook öffnen' },
});

type Made = AnswerOf<'createWebhook'>;

export function NewWebhookPage() {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const refresh = useRefresh();
  const params = useParams({ from: '/$stage/webhooks/new' });
  const typed = useTyped('webhook.new', NEW_VALUES, { secrets: SECRETS });
  const [made, setMade] = useState<Made>();
  const { attempt, error, isBusy } = useAttempt();
  const create = (values: DefinitionValues) =>
    attempt(async () => {
      setMade(await api.createWebhook({ body: bodyOf(values) }));
      typed.forget();
      void refresh();
    });
  const back = (
    <Link to="/$stage/webhooks" params={params}>
      {w('back')}
    </Link>
  );
  if (made !== undefined) return <Created key={made.webhookId} made={made} back={back} />;
  return (
    <Page title={w('add')} note={t('note')} above={back}>
      <DefinitionForm typed={typed} submitText={t('create')} isBusy={isBusy} error={error} onSubmit={create}>
        <ButtonLink to="/$stage/webhooks" params={params} onClick={typed.forget}>
          {w('cancel')}
        </ButtonLink>
      </DefinitionForm>
    </Page>
  );
}

function Created({ made, back }: { readonly made: Made; readonly back: React.ReactNode }) {
  const t = useText();
  const { stage } = useParams({ from: '/$stage/webhooks/new' });
  const params = { stage, webhookId: made.webhookId };
  return (
    <Page title={t('made')} note={<bdi>{made.target}</bdi>} above={back}>
      <Section title={t('secret')}>
        <Notice tone="warn" title={t('secretNote')} />
        <OneTimeText text={made.signingSecret} what={t('secret')} />
        <p>
          <Link to="/$stage/webhooks/$webhookId/signature" params={params} target="_blank">
            {t('signature')}
          </Link>
        </p>
      </Section>
      <TestSend webhookId={made.webhookId} />
      <div className="actions">
        <ButtonLink to="/$stage/webhooks/$webhookId" params={params}>
          {t('open')}
        </ButtonLink>
      </div>
    </Page>
  );
}
