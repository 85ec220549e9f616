/** The request of a delivery. What it contains is text. */
import type { ReactNode } from 'react';
import { Section } from '../../components/content.js';
import { Code, CopyButton } from '../../components/copied.js';
import { textsOf } from '../../texts/texts.js';
import { bodyOfEvent, type Called, headersOfEvent, type SentEvent } from './sent-request.js';

const useText = textsOf('webhook-request', {
  request: { en: 'Request', de: 'Aufruf' },
  requestNote: {
    en: 'The same in each attempt, but for the time and the signature. Long numbers may be shown with fewer digits than were sent.',
    de: 'In jedem Versuch gleich, bis auf Zeit und Signatur. Lange Zahlen können hier mit weniger Stellen stehen als gesendet.',
  },
  headers: { en: 'Headers', de: 'Kopfzeilen' },
  body: { en: 'Body', de: 'Inhalt' },
  omitted: {
    en: 'The payload is too large to be shown here.',
    de: 'Der Inhalt ist zu groß, um hier gezeigt zu werden.',
  },
});

interface RequestProps {
  readonly log: SentEvent;
  readonly definition: Called;
  /** The way to the check of the signature. */
  readonly children: ReactNode;
}

export function Request({ log, definition, children }: RequestProps) {
  const t = useText();
  const { requestType, target } = definition;
  const hasBody = !['GET', 'DELETE'].includes(requestType);
  const body = bodyOfEvent(log, definition);
  return (
    <Section title={t('request')} note={t('requestNote')}>
      <p className="said">
        <strong>{requestType}</strong> <bdi>{target}</bdi>
      </p>
      <Code label={t('headers')} text={headersOfEvent(log, definition)} />
      {!hasBody ? null : log.payloadOmitted === true ? (
        <p className="note">{t('omitted')}</p>
      ) : (
        <Code label={t('body')} text={body} actions={<CopyButton text={body} what={t('body')} />} />
      )}
      {children}
    </Section>
  );
}
