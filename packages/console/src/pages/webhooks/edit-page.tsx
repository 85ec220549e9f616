/** Changes a webhook. */
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { SavedSince } from '../../typed/saved-since.js';
import { useTyped } from '../../typed/use-typed.js';
import { DefinitionForm, useKnownEvents } from './definition-form.js';
import { bodyOf, type Definition, type DefinitionValues, SECRETS, valuesOf } from './definition-values.js';
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
  const definition = useDefinition(params.webhookId);
  const events = useKnownEvents();
  const { data } = definition;
  const { data: known } = events;
  const failed = [definition, events].filter(({ error }) => error !== null);
  /** How often the form was begun anew. */
  const [begun, setBegun] = useState(0);
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={params}>
      <bdi>{data?.target ?? w('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      {failed.length === 0 ? null : (
        <ErrorPanel
          error={failed[0]?.error}
          onRetry={() => {
            for (const { refetch } of failed) void refetch();
          }}
        />
      )}
      {data === undefined || known === undefined ? null : (
        <Editor
          key={begun}
          saved={data}
          readFrom={(definition) =>
            valuesOf(
              definition,
              known.filter(({ source }) => source === definition.source).map(({ event }) => event),
            )
          }
          onAnew={() => setBegun(begun + 1)}
        />
      )}
    </Page>
  );
}

interface EditorProps {
  readonly saved: Definition;
  readonly readFrom: (definition: Definition) => DefinitionValues;
  /** Begins anew with what is saved now. */
  readonly onAnew: () => void;
}

function Editor({ saved, readFrom, onAnew }: EditorProps) {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/edit' });
  const basisOf = (definition: Definition) => JSON.stringify({ ...readFrom(definition), targetApiKey: '' });
  const typed = useTyped(`webhook.${params.webhookId}`, readFrom(saved), {
    secrets: SECRETS,
    basis: basisOf(saved),
  });
  const { attempt, error: failure, isBusy } = useAttempt();
  const [newer, setNewer] = useState<string>();
  const save = (values: DefinitionValues, over?: string) =>
    attempt(async () => {
      setNewer(undefined);
      const present = basisOf(await api.getWebhook({ webhookId: params.webhookId }));
      if (present !== typed.basis && present !== over) {
        setNewer(present);
        return;
      }
      await api.updateWebhook({ webhookId: params.webhookId, body: bodyOf(values) });
      typed.forget();
      await refresh();
      tell({ tone: 'good', title: t('saved') });
      await navigate({ to: '/$stage/webhooks/$webhookId', params });
    });
  return (
    <DefinitionForm
      typed={typed}
      submitText={w('save')}
      isBusy={isBusy}
      error={failure}
      onSubmit={(values) => save(values)}
      warning={
        newer === undefined ? null : (
          <SavedSince
            onKeep={() => void save(typed.values, newer)}
            onTake={() => {
              typed.forget();
              void refresh().then(onAnew);
            }}
          />
        )
      }
    >
      <ButtonLink to="/$stage/webhooks/$webhookId" params={params} onClick={typed.forget}>
        {w('cancel')}
      </ButtonLink>
    </DefinitionForm>
  );
}
