/** What the receiver of a webhook sees by a link: one endpoint with its events. No menu, no stage, nothing else of the account. */
import type { schemas } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../../components/button.js';
import { Badge, EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Sign } from '../../components/icon.js';
import { Page } from '../../components/page.js';
import { Toasts } from '../../components/toasts.js';
import { Looks } from '../../frame/looks.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { Condition } from '../webhooks/condition.js';
import { toneOf, useStateText } from '../webhooks/health.js';
import { SignatureHelp } from '../webhooks/signature-help.js';
import { useSignatureText } from '../webhooks/texts.js';
import { PlaceLink, useAddress } from './address.js';
import { ReceivedEvent } from './received-event.js';
import { ReceivedEvents } from './received-events.js';
import { hasEnded, presentReceiver, receiverApi } from './receiver-access.js';

const AGAIN_MS = 10_000;

const useText = textsOf('receiver', {
  who: {
    en: '{sender} sends events to this address.',
    de: '{sender} sendet Ereignisse an diese Adresse.',
  },
  until: { en: 'The link for {name} is valid until {time}.', de: 'Der Link für {name} gilt bis {time}.' },
  ended: { en: 'This link is not valid', de: 'Dieser Link gilt nicht' },
  endedHelp: {
    en: 'It was opened in another browser, has expired or was revoked, or the webhook was deleted. Ask whoever gave it to you for a new one.',
    de: 'Er wurde in einem anderen Browser geöffnet, ist abgelaufen oder widerrufen, oder den Webhook gibt es nicht mehr. Bitten Sie die Person um einen neuen, von der Sie ihn haben.',
  },
  signature: { en: 'Check the signature', de: 'Signatur prüfen' },
  leave: { en: 'End access in this browser', de: 'Zugang in diesem Browser beenden' },
});

export function ReceiverApp() {
  const t = useText();
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: ['receiver'],
    queryFn: presentReceiver,
    refetchInterval: AGAIN_MS,
  });
  const isOver = hasEnded(error);
  const leave = async () => {
    await receiverApi.leaveReceiver().catch(() => undefined);
    queries.removeQueries({ queryKey: ['received'] });
    await refetch();
  };
  return (
    <div className="receiver">
      <header className="bar">
        <span className="brand">
          <Sign />
          <span className="brand-name">Longshore</span>
        </span>
      </header>
      <main id="content" className="content" tabIndex={-1}>
        {isOver ? (
          <Page title={t('ended')}>
            <EmptyState title={t('ended')} icon="key">
              {t('endedHelp')}
            </EmptyState>
          </Page>
        ) : data !== undefined ? (
          <Shown receiver={data} />
        ) : error !== null ? (
          <ErrorPanel error={error} onRetry={() => void refetch()} />
        ) : null}
      </main>
      <footer className="receiver-foot">
        <Looks />
        {isOver || data === undefined ? null : <Button onPress={leave}>{t('leave')}</Button>}
      </footer>
      <Toasts />
    </div>
  );
}

function Shown({ receiver }: { readonly receiver: schemas.Receiver }) {
  const t = useText();
  const s = useSignatureText();
  const stateText = useStateText();
  const format = useFormat();
  const address = useAddress();
  const eventId = address.get('event');
  const { target, sender, name, expiresAt } = receiver;
  const back = (
    <PlaceLink to={{}}>
      <bdi>{target}</bdi>
    </PlaceLink>
  );
  if (eventId !== null) return <ReceivedEvent key={eventId} eventId={eventId} receiver={receiver} above={back} />;
  if (address.has('signature')) {
    return (
      <Page key="signature" title={s('title')} note={s('note')} above={back}>
        <SignatureHelp />
      </Page>
    );
  }
  const note = (
    <span className="job-note">
      <Badge tone={toneOf(receiver)}>{stateText(receiver)}</Badge>
      <span>
        <bdi>{t('who', { sender })}</bdi> <bdi>{t('until', { name, time: format.time(expiresAt) })}</bdi>
      </span>
    </span>
  );
  return (
    <Page key="events" title={target} note={note}>
      <Condition definition={receiver} />
      <p>
        <PlaceLink to={{ signature: '' }}>{t('signature')}</PlaceLink>
      </p>
      <ReceivedEvents />
    </Page>
  );
}
