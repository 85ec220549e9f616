/** Why an attempt at a delivery has failed, in the language of the page where the API says one of its usual sentences. */
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('webhook-error', {
  answered: { en: 'answered {status}', de: 'antwortete {status}' },
  tooLarge: {
    en: 'answered 413: the body is larger than the target accepts',
    de: 'antwortete 413: Der Inhalt ist größer, als das Ziel annimmt',
  },
  refused: {
    en: 'the target refused the connection: nothing listens at this address and port',
    de: 'das Ziel hat die Verbindung abgelehnt: Unter dieser Adresse und diesem Port antwortet nichts',
  },
  noConnection: {
    en: 'the target did not accept a connection in time',
    de: 'das Ziel hat nicht rechtzeitig eine Verbindung angenommen',
  },
  noAddress: {
    en: 'no address was found for the name of the target',
    de: 'zum Namen des Ziels wurde keine Adresse gefunden',
  },
  closed: {
    en: 'the target closed the connection before it had answered; it may have received the request',
    de: 'das Ziel hat die Verbindung vor seiner Antwort geschlossen; es kann den Aufruf bekommen haben',
  },
  expired: { en: 'the certificate of the target has expired', de: 'das Zertifikat des Ziels ist abgelaufen' },
});

const KNOWN: readonly (readonly [
  'answered' | 'tooLarge' | 'refused' | 'noConnection' | 'noAddress' | 'closed' | 'expired',
  RegExp,
])[] = [
  ['answered', /^(?:the target )?answered (\d+)(?: Gone)?$/],
  ['tooLarge', /^answered 413: /],
  ['refused', /^the target refused the connection/],
  ['noConnection', /^the target did not accept a connection in time$/],
  ['noAddress', /^no address was found for the name of the target$/],
  ['closed', /^the target closed the connection before it had answered/],
  ['expired', /^the certificate of the target has expired$/],
];

/** @returns undefined: it has no other words than those of the API, in English */
export function useErrorText(): (message: string) => string | undefined {
  const t = useText();
  return (message) => {
    for (const [key, sentence] of KNOWN) {
      const found = sentence.exec(message);
      if (found !== null) return t(key, { status: found[1] ?? '' });
    }
    return undefined;
  };
}
