/** Calls an endpoint once, and shows what it answered. */
import type { AnswerOf } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { Code } from '../../components/copied.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useErrorText } from './error-text.js';

const useText = textsOf('webhook-test', {
  title: { en: 'Try it', de: 'Ausprobieren' },
  note: {
    en: 'Sends a signed event PING at once. It is not repeated, and not in the list of events.',
    de: 'Sendet sofort ein signiertes Ereignis PING. Es wird nicht wiederholt und steht nicht in der Liste der Ereignisse.',
  },
  send: { en: 'Send a test', de: 'Test senden' },
  delivered: {
    en: 'The endpoint answered {status}, after {duration}',
    de: 'Der Endpunkt antwortete {status}, nach {duration}',
  },
  failed: {
    en: 'The endpoint did not accept it, after {duration}',
    de: 'Der Endpunkt hat es nicht angenommen, nach {duration}',
  },
  answer: { en: 'Its answer', de: 'Seine Antwort' },
});

export function TestSend({ webhookId }: { readonly webhookId: string }) {
  const t = useText();
  const api = useApi();
  const format = useFormat();
  const errorText = useErrorText();
  const [outcome, setOutcome] = useState<AnswerOf<'testWebhook'>>();
  const { attempt, error, isBusy } = useAttempt();
  const send = () =>
    attempt(async () => {
      setOutcome(undefined);
      setOutcome(await api.testWebhook({ webhookId }));
    });
  return (
    <Section
      title={t('title')}
      note={t('note')}
      actions={
        <Button icon="send" isPending={isBusy} onPress={send}>
          {t('send')}
        </Button>
      }
    >
      {error === undefined ? null : <ErrorPanel error={error} onRetry={send} />}
      {outcome === undefined ? null : (
        <>
          <Notice
            tone={outcome.delivered ? 'good' : 'bad'}
            title={t(outcome.delivered ? 'delivered' : 'failed', {
              status: outcome.statusCode ?? '–',
              duration: format.duration(outcome.durationMs),
            })}
          >
            {outcome.error === undefined ? null : (
              <p className="said">{errorText(outcome.error) ?? <span lang="en">{outcome.error}</span>}</p>
            )}
          </Notice>
          {outcome.response === undefined ? null : <Code label={t('answer')} text={outcome.response} />}
        </>
      )}
    </Section>
  );
}
