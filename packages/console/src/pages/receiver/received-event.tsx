/** One event as its receiver sees it: the request, each attempt, the next one, and sending it again. */
import type { schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Badge } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Attempts } from '../webhooks/attempts.js';
import { Requests } from '../webhooks/request.js';
import { TONES, useWebhookText } from '../webhooks/texts.js';
import { PlaceLink } from './address.js';
import { receiverApi } from './receiver-access.js';

const AGAIN_MS = 2_000;

const useText = textsOf('received-event', {
  title: { en: 'Event', de: 'Ereignis' },
  happened: { en: 'happened {time}', de: 'geschehen {time}' },
  next: { en: 'next attempt {time}', de: 'nächster Versuch {time}' },
  again: { en: 'Send again', de: 'Erneut senden' },
  sent: { en: 'It is being sent again', de: 'Es wird erneut gesendet' },
  check: { en: 'How the signature is checked', de: 'So wird die Signatur geprüft' },
});

interface ReceivedEventProps {
  readonly eventId: string;
  readonly receiver: schemas.Receiver;
  readonly above: ReactNode;
}

export function ReceivedEvent({ eventId, receiver, above }: ReceivedEventProps) {
  const t = useText();
  const w = useWebhookText();
  const format = useFormat();
  const { data, error, refetch } = useQuery<schemas.ReceivedEvent>({
    queryKey: ['received', 'one', eventId],
    refetchInterval: ({ state }) => (state.data?.status === 'PENDING' ? AGAIN_MS : false),
    queryFn: ({ signal }) => receiverApi.getReceivedEvent({ eventRequestId: eventId }, { signal }),
  });
  const note =
    data === undefined ? null : (
      <span className="job-note">
        <Badge tone={TONES[data.status]}>{w(data.status)}</Badge>
        <span>
          {t('happened', { time: format.time(data.firstEventTriggeredAt) })}
          {data.nextAttemptAt === null ? '' : ` · ${t('next', { time: format.time(data.nextAttemptAt) })}`}
        </span>
      </span>
    );
  const mayReplay = receiver.mayReplay && receiver.status === 'ACTIVE' && data !== undefined;
  return (
    <Page
      title={data?.event ?? t('title')}
      note={note}
      above={above}
      actions={mayReplay ? <SendAgain eventId={eventId} /> : null}
    >
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : (
        <>
          <Attempts attempts={data.responseInfo} />
          <Requests log={data} attempts={data.responseInfo} definition={receiver}>
            <p>
              <PlaceLink to={{ signature: '' }}>{t('check')}</PlaceLink>
            </p>
          </Requests>
        </>
      )}
    </Page>
  );
}

function SendAgain({ eventId }: { readonly eventId: string }) {
  const t = useText();
  const queries = useQueryClient();
  const { attempt, error, isBusy } = useAttempt();
  const send = () =>
    attempt(async () => {
      try {
        await receiverApi.replayReceivedEvent({ eventRequestId: eventId });
        tell({ tone: 'good', title: t('sent') });
      } finally {
        await queries.invalidateQueries({ queryKey: ['received'] });
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
