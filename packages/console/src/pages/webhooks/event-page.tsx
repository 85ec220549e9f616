/** One event for one webhook: what was sent, each attempt with its answer, and sending it again. */
import type { EventLog } from '@longshore/client';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { Code, CopyButton } from '../../components/copied.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import type { Definition } from './health.js';
import { bodyOfEvent, headersOfEvent } from './sent-request.js';
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
  attempts: { en: 'Attempts', de: 'Versuche' },
  attempt: { en: 'Attempt {number}', de: 'Versuch {number}' },
  none: { en: 'No attempt yet', de: 'Noch kein Versuch' },
  noneHelp: {
    en: 'The delivery waits for its turn, or was cancelled before it was attempted.',
    de: 'Die Zustellung wartet, bis sie an der Reihe ist, oder wurde vor dem ersten Versuch abgebrochen.',
  },
  answered: { en: 'answered {status}', de: 'antwortete {status}' },
  noAnswer: { en: 'no answer', de: 'keine Antwort' },
  took: { en: '{time}, after {duration}', de: '{time}, nach {duration}' },
  response: { en: 'Answer of the endpoint', de: 'Antwort des Endpunkts' },
  noBody: { en: 'The answer had no body.', de: 'Die Antwort hatte keinen Inhalt.' },
  request: { en: 'Request', de: 'Aufruf' },
  requestNote: {
    en: 'The same in each attempt, but for the time and the signature. Long numbers may be shown with fewer digits than were sent.',
    de: 'In jedem Versuch gleich, bis auf Zeit und Signatur. Lange Zahlen können hier mit weniger Stellen stehen als gesendet.',
  },
  headers: { en: 'Headers', de: 'Kopfzeilen' },
  body: { en: 'Body', de: 'Inhalt' },
  omitted: {
    en: 'The payload is too large to be shown here.',
    de: 'Der Inhalt ist zu groß, um hier gezeigt zu werden.',
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
          {definition === undefined ? null : <Request log={data} definition={definition} />}
        </>
      )}
    </Page>
  );
}

type Delivery = EventLog['logs'][number];

function ownOf(log: EventLog | undefined, webhookId: string): Delivery | undefined {
  return log?.logs.find((one) => one.webhookId === webhookId);
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
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (!mayWrite) return null;
  if (definition.status === 'DISABLED') return <span className="note">{t('off')}</span>;
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await api.retryEvents({ body: { eventRequestId: eventId, webhookId: definition.webhookId } });
      tell({ tone: 'good', title: t('sent') });
    } catch (failure) {
      setError(failure);
    }
    await refresh();
    setBusy(false);
  };
  return (
    <>
      <Button kind="primary" icon="retry" isPending={isBusy} onPress={send}>
        {t('again')}
      </Button>
      {error === undefined ? null : <ErrorPanel error={error} />}
    </>
  );
}

function Attempts({ attempts }: { readonly attempts: Delivery['responseInfo'] }) {
  const t = useText();
  const format = useFormat();
  if (attempts.length === 0) {
    return (
      <EmptyState title={t('none')} icon="clock">
        {t('noneHelp')}
      </EmptyState>
    );
  }
  return (
    <Section title={t('attempts')}>
      <ol className="attempts">
        {[...attempts].reverse().map(({ triggeredAt, statusCode, durationMs, errorMessage, response }, nth) => (
          <li key={triggeredAt} className="attempt">
            <p className="attempt-head">
              <strong>{t('attempt', { number: format.number(attempts.length - nth) })}</strong>
              <Badge tone={errorMessage === null ? 'good' : 'bad'}>
                {statusCode === null ? t('noAnswer') : t('answered', { status: statusCode })}
              </Badge>
              <span className="small">
                {t('took', { time: format.time(triggeredAt), duration: format.duration(durationMs) })}
              </span>
            </p>
            {errorMessage === null ? null : (
              <p className="said" lang="en">
                {errorMessage}
              </p>
            )}
            {response === null || response === '' ? (
              statusCode === null ? null : (
                <p className="note">{t('noBody')}</p>
              )
            ) : (
              <Code label={t('response')} text={response} />
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Request({ log, definition }: { readonly log: EventLog; readonly definition: Definition }) {
  const t = useText();
  const { stage } = usePresent();
  const { webhookId, requestType, target } = definition;
  const hasBody = !['GET', 'DELETE'].includes(requestType);
  const body = bodyOfEvent(log, definition);
  return (
    <Section title={t('request')} note={t('requestNote')}>
      <p className="said">
        <strong>{requestType}</strong> <bdi>{target}</bdi>
      </p>
      <Code label={t('headers')} text={headersOfEvent(log, definition)} />
      {!hasBody ? null : log.payloadOmitted === true ? (
        <p className="note">{t('omitted')}</p>
      ) : (
        <Code label={t('body')} text={body} actions={<CopyButton text={body} what={t('body')} />} />
      )}
      <p>
        <Link to="/$stage/webhooks/$webhookId/signature" params={{ stage: stage.name, webhookId }}>
          {t('check')}
        </Link>
      </p>
    </Section>
  );
}
