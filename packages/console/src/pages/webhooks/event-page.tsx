/** One event for one webhook: what was sent, each attempt with its answer, and sending it again. */
import type { EventLog } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Attempts } from './attempts.js';
import type { Definition } from './health.js';
import { Requests } from './request.js';
import { TONES, useWebhookText } from './texts.js';
import { useDefinition, useRefresh } from './use-definition.js';

const AGAIN_MS = 2_000;

const useText = textsOf('webhook-event', {
  title: { en: 'Event', de: 'Ereignis' },
  gone: {
    en: 'There is no event {id} any more: events are kept for a limited time.',
    de: 'Das Ereignis {id} gibt es nicht mehr: Ereignisse werden nur eine Zeit lang aufgehoben.',
  },
  happened: { en: 'happened {time}', de: 'geschehen {time}' },
  again: { en: 'Send again', de: 'Erneut senden' },
  sent: { en: 'It is being sent again', de: 'Es wird erneut gesendet' },
  off: {
    en: 'The webhook is off: switch it on to send again',
    de: 'Der Webhook ist aus: Schalten Sie ihn ein, um erneut zu senden',
  },
  check: { en: 'How the signature is checked', de: 'So wird die Signatur geprüft' },
});

export function EventPage() {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const { stage } = usePresent();
  const { webhookId, eventId } = useParams({ from: '/$stage/webhooks/$webhookId/events/$eventId' });
  const { data: definition } = useDefinition(webhookId);
  const filters = { webhookId, eventRequestId: eventId };
  const { data, error, refetch } = useQuery<EventLog>({
    queryKey: ['events', stage.name, webhookId, 'one', eventId],
    refetchInterval: ({ state }) => (ownOf(state.data, webhookId)?.status === 'PENDING' ? AGAIN_MS : false),
    queryFn: async ({ signal }) => {
      const sent = await api.queryEvents({ body: { filters } }, { signal });
      const [found] = sent.webhookEventLogs;
      if (found !== undefined) return found;
      // One that the webhook was not sent is found without it.
      const any = await api.queryEvents({ body: { filters: { eventRequestId: eventId } } }, { signal });
      const [other] = any.webhookEventLogs;
      if (other !== undefined) return other;
      throw new Error(t('gone', { id: eventId }));
    },
  });
  const own = ownOf(data, webhookId);
  const status = own?.status ?? 'IGNORED';
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={{ stage: stage.name, webhookId }}>
      <bdi>{definition?.target ?? w('back')}</bdi>
    </Link>
  );
  const note =
    data === undefined ? null : (
      <span className="job-note">
        <Badge tone={TONES[status]}>{w(status)}</Badge>
        <EventTime log={data} />
      </span>
    );
  return (
    <Page
      title={data?.event ?? t('title')}
      note={note}
      above={back}
      actions={definition === undefined ? null : <SendAgain definition={definition} eventId={eventId} />}
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <>
          <Attempts attempts={own?.responseInfo ?? []} />
          {definition === undefined ? null : (
            <Requests
              log={data}
              attempts={own?.responseInfo ?? []}
              definition={definition}
              callbackUrl={own?.callbackUrl}
            >
              <p>
                <Link to="/$stage/webhooks/$webhookId/signature" params={{ stage: stage.name, webhookId }}>
                  {t('check')}
                </Link>
              </p>
            </Requests>
          )}
        </>
      )}
    </Page>
  );
}

type Delivery = EventLog['logs'][number];

function ownOf(log: EventLog | undefined, webhookId: string): Delivery | undefined {
  const own = log?.logs.filter((one) => one.webhookId === webhookId);
  // The delivery to the target before a callback, which goes elsewhere.
  return own?.find(({ callbackUrl }) => callbackUrl === undefined) ?? own?.[0];
}

function EventTime({ log }: { readonly log: EventLog }) {
  const t = useText();
  const format = useFormat();
  return <span>{t('happened', { time: format.time(log.firstEventTriggeredAt) })}</span>;
}

function SendAgain({ definition, eventId }: { readonly definition: Definition; readonly eventId: string }) {
  const t = useText();
  const api = useApi();
  const refresh = useRefresh();
  const mayWrite = useMay('webhooks:write');
  const { attempt, error, isBusy } = useAttempt();
  if (!mayWrite) return null;
  if (definition.status === 'DISABLED') return <span className="note">{t('off')}</span>;
  const send = () =>
    attempt(async () => {
      try {
        await api.retryEvents({ body: { eventRequestId: eventId, webhookId: definition.webhookId } });
        tell({ tone: 'good', title: t('sent') });
      } finally {
        await refresh();
      }
    });
  return (
    <>
      <Button kind="primary" icon="retry" isPending={isBusy} onPress={send}>
        {t('again')}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </>
  );
}
