/** Changes a webhook. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useTyped } from '../../typed/use-typed.js';
import { DefinitionForm, useKnownEvents } from './definition-form.js';
import { bodyOf, type DefinitionValues, SECRETS, valuesOf } from './definition-values.js';
import { useWebhookText } from './texts.js';
import { useDefinition, useRefresh } from './use-definition.js';

const useText = textsOf('webhook-edit', {
  title: { en: 'Change the webhook', de: 'Webhook ändern' },
  note: {
    en: 'A change applies to events from now on.',
    de: 'Eine Änderung gilt für Ereignisse ab jetzt.',
  },
  saved: { en: 'The webhook is changed', de: 'Der Webhook ist geändert' },
});

export function EditWebhookPage() {
  const t = useText();
  const w = useWebhookText();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/edit' });
  const { data, error, refetch } = useDefinition(params.webhookId);
  const { data: known } = useKnownEvents();
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={params}>
      <bdi>{data?.target ?? w('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined || known === undefined ? null : (
        <Editor
          first={valuesOf(
            data,
            known.filter(({ source }) => source === data.source).map(({ event }) => event),
          )}
        />
      )}
    </Page>
  );
}

function Editor({ first }: { readonly first: DefinitionValues }) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/edit' });
  const basis = JSON.stringify({ ...first, targetApiKey: '' });
  const typed = useTyped(`webhook.${params.webhookId}`, first, { secrets: SECRETS, basis });
  const { attempt, error: failure, isBusy } = useAttempt();
  const save = (values: DefinitionValues) =>
    attempt(async () => {
      await api.updateWebhook({ webhookId: params.webhookId, body: bodyOf(values) });
      typed.forget();
      await refresh();
      tell({ tone: 'good', title: t('saved') });
      await navigate({ to: '/$stage/webhooks/$webhookId', params });
    });
  return (
    <DefinitionForm typed={typed} submitText={w('save')} isBusy={isBusy} error={failure} onSubmit={save}>
      <ButtonLink to="/$stage/webhooks/$webhookId" params={params} onClick={typed.forget}>
        {w('cancel')}
      </ButtonLink>
    </DefinitionForm>
  );
}
