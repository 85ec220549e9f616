/** How the endpoint of a definition is doing, in words and in a colour. */
import type { schemas } from '@longshore/client';
import type { Tone } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useErrorText } from './error-text.js';

export type Definition = schemas.WebhookDefinitionWithHealth;
/** What says how an endpoint is doing, to its owner as to its receiver. */
export type Endpoint = Pick<Definition, 'status' | 'disabledReason' | 'collectsUntil' | 'health'>;

const useText = textsOf('webhook-health', {
  ON: { en: 'Answers', de: 'Antwortet' },
  FAILING: { en: 'Fails', de: 'Fehlerhaft' },
  OPEN: { en: 'Held back', de: 'Zurückgehalten' },
  HALF_OPEN: { en: 'Being probed', de: 'Wird geprobt' },
  PAUSED: { en: 'Asked to wait', de: 'Bat um Pause' },
  OFF: { en: 'Switched off', de: 'Ausgeschaltet' },
  GIVEN_UP: { en: 'Given up', de: 'Aufgegeben' },
  onHelp: { en: 'The endpoint answers as it should.', de: 'Der Endpunkt antwortet, wie er soll.' },
  failingHelp: {
    en: '{count, plural, one {# attempt has} other {# attempts have}} failed in a row. The last error: {error}',
    de: '{count, plural, one {# Versuch ist} other {# Versuche sind}} in Folge fehlgeschlagen. Letzter Fehler: {error}',
  },
  openHelp: {
    en: 'It has failed so often that deliveries wait; the next attempt is {when}. The last error: {error}',
    de: 'Er hat so oft versagt, dass Zustellungen warten; der nächste Versuch ist {when}. Letzter Fehler: {error}',
  },
  pausedHelp: {
    en: 'The endpoint asked us to wait; the next attempt is {when}.',
    de: 'Der Endpunkt hat um eine Pause gebeten; der nächste Versuch ist {when}.',
  },
  offHelp: { en: 'It was switched off on request.', de: 'Er wurde auf Wunsch ausgeschaltet.' },
  givenUpHelp: { en: 'Longshore has switched it off: {reason}', de: 'Longshore hat ihn ausgeschaltet: {reason}' },
  soon: { en: 'not planned', de: 'nicht geplant' },
});

type State = 'ON' | 'FAILING' | 'OPEN' | 'HALF_OPEN' | 'PAUSED' | 'OFF' | 'GIVEN_UP';

const TONES: Readonly<Record<State, Tone>> = {
  ON: 'good',
  FAILING: 'warn',
  OPEN: 'bad',
  HALF_OPEN: 'warn',
  PAUSED: 'warn',
  OFF: 'neutral',
  GIVEN_UP: 'bad',
};

/** The reason of a definition that somebody has disabled. */
const ON_REQUEST = 'disabled on request';

function stateOf({ status, disabledReason, health: { breaker, failuresInARow } }: Endpoint): State {
  if (status === 'DISABLED') return disabledReason === ON_REQUEST ? 'OFF' : 'GIVEN_UP';
  if (breaker !== 'CLOSED') return breaker;
  return failuresInARow > 0 ? 'FAILING' : 'ON';
}

export function toneOf(definition: Endpoint): Tone {
  return TONES[stateOf(definition)];
}

/** Whether somebody should look after it: what its owner has disabled is as it should be. */
export function isSick(definition: Endpoint): boolean {
  return !['ON', 'OFF'].includes(stateOf(definition));
}

/** Which part of the last attempts has failed. Of an endpoint that was not called lately nothing is known. */
export function failureRateOf(
  { failureRate, failuresInARow }: Definition['health'],
  percent: (share: number) => string,
): string {
  return failureRate === null && failuresInARow > 0 ? '–' : percent(failureRate ?? 0);
}

/** The state in a few words. */
export function useStateText(): (definition: Endpoint) => string {
  const t = useText();
  return (definition) => t(stateOf(definition));
}

/** The state in a sentence, with the last error. */
export function useHealthText(): (definition: Endpoint) => string {
  const t = useText();
  const format = useFormat();
  const errorText = useErrorText();
  return (definition) => {
    const { disabledReason, health } = definition;
    const when = health.nextAttemptAt === null ? t('soon') : format.time(health.nextAttemptAt);
    const error = health.lastError === null ? '–' : (errorText(health.lastError) ?? health.lastError);
    switch (stateOf(definition)) {
      case 'OFF':
        return t('offHelp');
      case 'GIVEN_UP':
        return t('givenUpHelp', { reason: disabledReason ?? '–' });
      case 'PAUSED':
        return t('pausedHelp', { when });
      case 'OPEN':
      case 'HALF_OPEN':
        return t('openHelp', { when, error });
      case 'FAILING':
        return t('failingHelp', { count: health.failuresInARow, error });
      default:
        return t('onHelp');
    }
  };
}
