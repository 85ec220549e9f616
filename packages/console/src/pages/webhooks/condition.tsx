/** How an endpoint is doing: what is wrong, if anything is, and its figures. */
import { Figures, Notice } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { type Endpoint, failureRateOf, isSick, toneOf, useHealthText } from './health.js';
import { backlogOf } from './list-page.js';
import { useWebhookText } from './texts.js';

const useText = textsOf('webhook-condition', {
  inARow: { en: 'Failures in a row', de: 'Fehler in Folge' },
  none: { en: 'none', de: 'keiner' },
  off: { en: 'This webhook is switched off', de: 'Dieser Webhook ist ausgeschaltet' },
  collects: {
    en: 'Events are kept for it until {time}, and sent when it is switched on.',
    de: 'Ereignisse werden bis {time} für ihn aufgehoben und gesendet, wenn er eingeschaltet wird.',
  },
  missed: {
    en: 'Events are not kept for it any more. When it is on, those that it has missed can be sent again.',
    de: 'Ereignisse werden nicht mehr für ihn aufgehoben. Wenn er an ist, können die verpassten erneut gesendet werden.',
  },
  since: { en: 'Failing since {time}', de: 'Fehlerhaft seit {time}' },
});

/** What is wrong, if anything is, and the figures of the endpoint. */
export function Condition({ definition }: { readonly definition: Endpoint }) {
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
            value: failureRateOf(own, format.percent),
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
