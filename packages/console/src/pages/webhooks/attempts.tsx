/** The attempts of a delivery, each with the answer of the endpoint. What it said is text. */
import type { EventLog } from '@longshore/client';
import { Badge, EmptyState, Section } from '../../components/content.js';
import { Code } from '../../components/copied.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useErrorText } from './error-text.js';

const useText = textsOf('webhook-attempts', {
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
});

interface AttemptsProps {
  readonly attempts: EventLog['logs'][number]['responseInfo'];
}

export function Attempts({ attempts }: AttemptsProps) {
  const t = useText();
  const errorText = useErrorText();
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
              <p className="said">{errorText(errorMessage) ?? <span lang="en">{errorMessage}</span>}</p>
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
