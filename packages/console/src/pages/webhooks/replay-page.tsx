/** Sends many events of a time again: first it says how many they are. */
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Checks } from '../../components/checks.js';
import { Notice, Progress, Section } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { Page } from '../../components/page.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { hasEnded, shareOf } from '../../jobs/job-state.js';
import { useJob } from '../../jobs/use-job.js';
import { useApi } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { localTime, OUTCOMES, type Outcome, rangeOf } from './replay-range.js';
import { useWebhookText } from './texts.js';
import { useDefinition } from './use-definition.js';

const DAY_MS = 86_400_000;

const useText = textsOf('webhook-replay', {
  title: { en: 'Send events again', de: 'Ereignisse erneut senden' },
  note: {
    en: 'After a repair: choose the time and what became of the events. You see how many they are before anything is sent.',
    de: 'Nach einer Reparatur: Wählen Sie die Zeit und was aus den Ereignissen wurde. Sie sehen, wie viele es sind, bevor etwas gesendet wird.',
  },
  which: { en: 'Which events', de: 'Welche Ereignisse' },
  since: { en: 'From', de: 'Von' },
  until: { en: 'Until', de: 'Bis' },
  untilHelp: { en: 'Empty: until now', de: 'Leer: bis jetzt' },
  outcomes: { en: 'What became of them', de: 'Was aus ihnen wurde' },
  FAILED: { en: 'Failed for good', de: 'Endgültig gescheitert' },
  CANCELLED: { en: 'Cancelled', de: 'Abgebrochen' },
  cancelledHelp: { en: 'Because the webhook was switched off', de: 'Weil der Webhook ausgeschaltet wurde' },
  IGNORED: { en: 'Never sent to it', de: 'Nie an ihn gesendet' },
  ignoredHelp: {
    en: 'It did not exist yet, was off, or had another filter',
    de: 'Er war noch nicht da, war aus oder hatte einen anderen Filter',
  },
  DELIVERED: { en: 'Delivered', de: 'Zugestellt' },
  deliveredHelp: { en: 'The endpoint gets them a second time', de: 'Der Endpunkt bekommt sie ein zweites Mal' },
  event: { en: 'Only this event', de: 'Nur dieses Ereignis' },
  eventHelp: { en: 'Such as ORDER_CREATED; empty: all', de: 'Zum Beispiel ORDER_CREATED; leer: alle' },
  order: { en: 'Only this order', de: 'Nur diese Bestellung' },
  count: { en: 'Count them', de: 'Zählen' },
  found: {
    en: '{count, plural, =0 {No event is like this} one {# event would be sent} other {# events would be sent}}',
    de: '{count, plural, =0 {So ein Ereignis gibt es nicht} one {# Ereignis würde gesendet} other {# Ereignisse würden gesendet}}',
  },
  send: {
    en: '{count, plural, one {Send # event again} other {Send # events again}}',
    de: '{count, plural, one {# Ereignis erneut senden} other {# Ereignisse erneut senden}}',
  },
  running: { en: 'Events are being handed over', de: 'Ereignisse werden übergeben' },
  done: {
    en: '{count, plural, one {# event is on its way} other {# events are on their way}}',
    de: '{count, plural, one {# Ereignis ist unterwegs} other {# Ereignisse sind unterwegs}}',
  },
  failed: { en: 'The replay has failed', de: 'Das erneute Senden ist gescheitert' },
  look: { en: 'See what the endpoint answers', de: 'Sehen, was der Endpunkt antwortet' },
});

export function ReplayPage() {
  const t = useText();
  const w = useWebhookText();
  const api = useApi();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/replay' });
  const { data: definition } = useDefinition(params.webhookId);
  const typed = useTyped(`replay.${params.webhookId}`, {
    since: localTime(new Date(Date.now() - DAY_MS)),
    until: '',
    outcomes: ['FAILED', 'CANCELLED'] as readonly Outcome[],
    event: '',
    orderNumber: '',
  });
  const { values } = typed;
  const [count, setCount] = useState<number>();
  const [jobId, setJobId] = useState<string>();
  const { attempt, error, isBusy } = useAttempt();
  const set = (change: Partial<typeof values>) => {
    typed.set(change);
    // What was counted was something else.
    setCount(undefined);
    setJobId(undefined);
  };
  const ask = (dryRun: boolean) =>
    attempt(async () => {
      const range = rangeOf(params.webhookId, values);
      const answer = await api.retryEvents({ body: { ...range, ...(dryRun ? { dryRun } : {}) } });
      if ('jobId' in answer) {
        typed.forget();
        setJobId(answer.jobId);
      } else setCount(answer.deliveries);
    });
  const back = (
    <Link to="/$stage/webhooks/$webhookId" params={params}>
      <bdi>{definition?.target ?? w('back')}</bdi>
    </Link>
  );
  return (
    <Page title={t('title')} note={t('note')} above={back}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void ask(true);
        }}
      >
        <TypedNote typed={typed} />
        <Section title={t('which')}>
          <div className="field-grid">
            <TextInput
              label={t('since')}
              type="datetime-local"
              value={values.since}
              onChange={(since) => set({ since })}
              isRequired
            />
            <TextInput
              label={t('until')}
              help={t('untilHelp')}
              type="datetime-local"
              value={values.until}
              onChange={(until) => set({ until })}
            />
            <TextInput
              label={t('event')}
              help={t('eventHelp')}
              value={values.event}
              onChange={(event) => set({ event })}
            />
            <TextInput label={t('order')} value={values.orderNumber} onChange={(orderNumber) => set({ orderNumber })} />
          </div>
          <Checks
            label={t('outcomes')}
            value={values.outcomes}
            onChange={(chosen) => set({ outcomes: OUTCOMES.filter((one) => chosen.includes(one)) })}
            choices={[
              { id: 'FAILED', label: t('FAILED') },
              { id: 'CANCELLED', label: t('CANCELLED'), help: t('cancelledHelp') },
              { id: 'IGNORED', label: t('IGNORED'), help: t('ignoredHelp') },
              { id: 'DELIVERED', label: t('DELIVERED'), help: t('deliveredHelp') },
            ]}
          />
          <div className="actions">
            <Button
              type="submit"
              kind={count === undefined ? 'primary' : 'plain'}
              isPending={isBusy}
              isDisabled={values.outcomes.length === 0}
            >
              {t('count')}
            </Button>
          </div>
        </Section>
      </Form>
      {error === undefined ? null : <ErrorPanel error={error} />}
      {jobId !== undefined ? (
        <Replaying jobId={jobId} />
      ) : count === undefined ? null : (
        <Notice
          tone="neutral"
          title={t('found', { count })}
          {...(count === 0
            ? {}
            : {
                actions: (
                  <Button kind="primary" icon="send" isPending={isBusy} onPress={() => void ask(false)}>
                    {t('send', { count })}
                  </Button>
                ),
              })}
        />
      )}
    </Page>
  );
}

function Replaying({ jobId }: { readonly jobId: string }) {
  const t = useText();
  const format = useFormat();
  const params = useParams({ from: '/$stage/webhooks/$webhookId/replay' });
  const { data: job, error } = useJob(jobId);
  if (error !== null) return <ErrorPanel error={error} />;
  if (job === undefined || !hasEnded(job)) {
    const note = job === undefined ? undefined : format.number(job.progressTracker.processedCount);
    return <Progress label={t('running')} share={job === undefined ? undefined : shareOf(job)} note={note} />;
  }
  if (!job.status.startsWith('COMPLETED')) {
    return (
      <Notice tone="bad" title={t('failed')}>
        <p className="said" lang="en">
          {job.statusMessage}
        </p>
      </Notice>
    );
  }
  const { processedCount, errorCount } = job.progressTracker;
  return (
    <Notice tone="good" title={t('done', { count: processedCount - errorCount })}>
      <p>
        <Link to="/$stage/webhooks/$webhookId" params={params}>
          {t('look')}
        </Link>
      </p>
    </Notice>
  );
}
