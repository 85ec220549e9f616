/** One webhook: how its endpoint is doing, what can be done about it, and the events that it was sent. */
import { Link, useParams } from '@tanstack/react-router';
import { ButtonLink } from '../../components/button.js';
import { Badge, Figures, Notice } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { useMay } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { DefinitionActions } from './definition-actions.js';
import { Events } from './events.js';
import { type Definition, isSick, toneOf, useHealthText, useStateText } from './health.js';
import { backlogOf } from './list-page.js';
import { TestSend } from './test-send.js';
import { useWebhookText } from './texts.js';
import { useDefinition } from './use-definition.js';

const useText = textsOf('webhook-page', {
  edit: { en: 'Change', de: 'Ändern' },
  filter: { en: 'Filter', de: 'Filter' },
  replay: { en: 'Send several again', de: 'Mehrere erneut senden' },
  signature: { en: 'Check the signature', de: 'Signatur prüfen' },
  inARow: { en: 'Failures in a row', de: 'Fehler in Folge' },
  none: { en: 'none', de: 'keiner' },
  off: { en: 'This webhook is switched off', de: 'Dieser Webhook ist ausgeschaltet' },
  collects: {
    en: 'Events are kept for it until {time}, and sent when it is switched on.',
    de: 'Ereignisse werden bis {time} für ihn aufgehoben und gesendet, wenn er eingeschaltet wird.',
  },
  missed: {
    en: 'Events are not kept for it any more. When it is on, you can send those again that it has missed.',
    de: 'Ereignisse werden nicht mehr für ihn aufgehoben. Wenn er an ist, können Sie die verpassten erneut senden.',
  },
  since: { en: 'Failing since {time}', de: 'Fehlerhaft seit {time}' },
});

export function WebhookPage() {
  const w = useWebhookText();
  const params = useParams({ from: '/$stage/webhooks/$webhookId' });
  const { data, error, refetch } = useDefinition(params.webhookId);
  const back = (
    <Link to="/$stage/webhooks" params={params}>
      {w('back')}
    </Link>
  );
  if (data === undefined) {
    return (
      <Page title={w('title')} above={back}>
        {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return <Shown key={data.webhookId} definition={data} back={back} />;
}

function Shown({ definition, back }: { readonly definition: Definition; readonly back: React.ReactNode }) {
  const t = useText();
  const w = useWebhookText();
  const stateText = useStateText();
  const mayWrite = useMay('webhooks:write');
  const params = useParams({ from: '/$stage/webhooks/$webhookId' });
  const { webhookId, target, source, events, filter, status } = definition;
  const note = (
    <span className="job-note">
      <Badge tone={toneOf(definition)}>{stateText(definition)}</Badge>
      <span>
        {source} · <bdi>{events.includes('*') ? w('everyEvent') : events.join(', ')}</bdi>
        {filter === null ? '' : ` · ${w('filtered')}`}
      </span>
    </span>
  );
  return (
    <Page
      title={target}
      note={note}
      above={back}
      actions={mayWrite ? <DefinitionActions definition={definition} /> : null}
    >
      <Condition definition={definition} />
      <nav className="actions" aria-label={target}>
        {mayWrite && status === 'ACTIVE' ? (
          <ButtonLink icon="retry" to="/$stage/webhooks/$webhookId/replay" params={params}>
            {t('replay')}
          </ButtonLink>
        ) : null}
        <ButtonLink icon="filter" to="/$stage/webhooks/$webhookId/filter" params={params}>
          {t('filter')}
        </ButtonLink>
        <ButtonLink icon="key" to="/$stage/webhooks/$webhookId/signature" params={params}>
          {t('signature')}
        </ButtonLink>
        {mayWrite ? (
          <ButtonLink icon="edit" to="/$stage/webhooks/$webhookId/edit" params={params}>
            {t('edit')}
          </ButtonLink>
        ) : null}
      </nav>
      {mayWrite ? <TestSend webhookId={webhookId} /> : null}
      <Events webhookId={webhookId} />
    </Page>
  );
}

/** What is wrong, if anything is, and the figures of the endpoint. */
function Condition({ definition }: { readonly definition: Definition }) {
  const t = useText();
  const w = useWebhookText();
  const health = useHealthText();
  const format = useFormat();
  const {
    status,
    collectsUntil,
    health: { failureRate, failuresInARow, failingSince, nextAttemptAt },
    health: own,
  } = definition;
  const isOff = status === 'DISABLED';
  return (
    <>
      {isOff || isSick(definition) ? (
        <Notice
          tone={isSick(definition) ? toneOf(definition) : 'neutral'}
          title={isOff ? t('off') : health(definition)}
        >
          {isOff ? <p>{health(definition)}</p> : null}
          {isOff ? (
            <p>{collectsUntil === null ? t('missed') : t('collects', { time: format.time(collectsUntil) })}</p>
          ) : null}
          {failingSince === null ? null : <p className="note">{t('since', { time: format.time(failingSince) })}</p>}
        </Notice>
      ) : null}
      <Figures
        figures={[
          {
            label: w('failureRate'),
            value: failureRate === null ? format.percent(0) : format.percent(failureRate),
            tone: failureRate === null ? 'neutral' : 'bad',
          },
          {
            label: t('inARow'),
            value: format.number(failuresInARow),
            tone: failuresInARow > 0 ? 'bad' : 'neutral',
          },
          { label: w('waiting'), value: backlogOf(own, format.number) },
          {
            label: w('nextAttempt'),
            value: nextAttemptAt === null || isOff ? t('none') : format.clock(nextAttemptAt),
            ...(nextAttemptAt === null || isOff ? {} : { note: format.day(nextAttemptAt.slice(0, 10)) }),
          },
        ]}
      />
    </>
  );
}
