/** Words that several pages of webhooks use. */
import { textsOf } from '../../texts/texts.js';

export const useWebhookText = textsOf('webhooks', {
  title: { en: 'Webhooks', de: 'Webhooks' },
  add: { en: 'Add a webhook', de: 'Webhook anlegen' },
  back: { en: 'Webhooks', de: 'Webhooks' },
  target: { en: 'Address', de: 'Adresse' },
  source: { en: 'Source', de: 'Quelle' },
  events: { en: 'Events', de: 'Ereignisse' },
  everyEvent: { en: 'all events', de: 'alle Ereignisse' },
  filtered: { en: 'filtered', de: 'gefiltert' },
  state: { en: 'State', de: 'Zustand' },
  waiting: { en: 'Waiting', de: 'Wartend' },
  failureRate: { en: 'Failed lately', de: 'Zuletzt fehlgeschlagen' },
  nextAttempt: { en: 'Next attempt', de: 'Nächster Versuch' },
  save: { en: 'Save', de: 'Speichern' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  PENDING: { en: 'Waiting', de: 'Wartet' },
  DELIVERED: { en: 'Delivered', de: 'Zugestellt' },
  FAILED: { en: 'Failed', de: 'Fehlgeschlagen' },
  CANCELLED: { en: 'Cancelled', de: 'Abgebrochen' },
  IGNORED: { en: 'Not sent', de: 'Nicht gesendet' },
});

export const TONES = {
  PENDING: 'busy',
  DELIVERED: 'good',
  FAILED: 'bad',
  CANCELLED: 'neutral',
  IGNORED: 'neutral',
} as const;

export const useSignatureText = textsOf('webhook-signature', {
  title: { en: 'Check the signature', de: 'Signatur prüfen' },
  note: {
    en: 'Anybody can call your address. The signature shows that a request comes from Longshore, that it is new, and that nobody has changed it.',
    de: 'Jeder kann Ihre Adresse aufrufen. Die Signatur zeigt, dass ein Aufruf von Longshore kommt, dass er neu ist und dass ihn niemand verändert hat.',
  },
});
