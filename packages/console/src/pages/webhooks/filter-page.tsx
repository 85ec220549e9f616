/** Writes the filter of a webhook, and tries it on the last real events before it is saved. */
import type { EventLog } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { FilterEditor } from './filter-editor.js';
import { FilterEvents } from './filter-events.js';
import type { Definition } from './health.js';
import { useWebhookText } from './texts.js';
import { useDefinition } from './use-definition.js';

/** As many as one request tries. */
const LAST = 20;

const useText = textsOf('webhook-filter', {
  title: { en: 'Filter', de: 'Filter' },
  note: {
    en: 'Of its events, the webhook gets only those whose payload passes. Try it on real events before you save it.',
    de: 'Von seinen Ereignissen bekommt der Webhook nur die, deren Inhalt durchkommt. Probieren Sie ihn an echten Ereignissen aus, bevor Sie ihn speichern.',
  },
});

export function FilterPage() {
  const t = useText();
  const w = useWebhookText();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/filter' });
  const { data, error, refetch } = useDefinition(params.webhookId);
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={params}>
      <bdi>{data?.target ?? w('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : <Trying key={data.webhookId} definition={data} />}
    </Page>
  );
}

function Trying({ definition }: { readonly definition: Definition }) {
  const api = useApi();
  const { stage } = usePresent();
  const mayWrite = useMay('webhooks:write');
  const first = definition.filter === null ? '' : JSON.stringify(definition.filter, null, 2);
  const typed = useTyped(`filter.${definition.webhookId}`, { text: first }, { basis: JSON.stringify(first) });
  const { text } = typed.values;
  const [passing, setPassing] = useState<ReadonlyMap<string, boolean>>();
  const {
    data: events,
    error,
    refetch,
  } = useQuery({
    queryKey: ['events', stage.name, definition.webhookId, 'for-filter', definition.source],
    queryFn: async ({ signal }) => {
      const filters = { source: definition.source as 'OMS' };
      const { webhookEventLogs } = await api.queryEvents({ body: { filters, limit: LAST } }, { signal });
      return webhookEventLogs.filter((log) => isOf(definition, log));
    },
  });
  const change = (next: string) => {
    typed.set({ text: next });
    setPassing(undefined);
  };
  return (
    <>
      <TypedNote typed={typed} />
      <FilterEditor
        definition={definition}
        text={text}
        isChanged={text !== first}
        mayWrite={mayWrite}
        events={events}
        onChange={change}
        onTried={setPassing}
        onSaved={typed.forget}
      />
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {events === undefined ? null : <FilterEvents events={events} passing={passing} />}
    </>
  );
}

/** Whether a definition subscribes to an event: ORDER_CREATE and ORDER_CREATED mean the same. */
function isOf({ events }: Definition, { event }: EventLog): boolean {
  return events.includes('*') || events.some((name) => name.replace(/D$/, '') === event.replace(/D$/, ''));
}
