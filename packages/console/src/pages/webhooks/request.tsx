/** The requests of a delivery, each with the attempts that made it. What they contain is text. */
import type { ReactNode } from 'react';
import { Notice, Section } from '../../components/content.js';
import { Code, CopyButton } from '../../components/copied.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import {
  type Attempt,
  bodyOfEvent,
  type Called,
  hasBody,
  headersOfEvent,
  requestsOf,
  type SentEvent,
  type SentRequest,
} from './sent-request.js';

const useText = textsOf('webhook-request', {
  request: { en: 'Request', de: 'Aufruf' },
  requestOf: { en: 'Request of {attempts}', de: 'Aufruf von {attempts}' },
  attempt: { en: 'attempt {number}', de: 'Versuch {number}' },
  attempts: { en: 'attempts {first} to {last}', de: 'Versuch {first} bis {last}' },
  willBe: {
    en: 'So it will be sent, unless the webhook is changed before.',
    de: 'So wird gesendet, wenn der Webhook vorher nicht geändert wird.',
  },
  requestNote: {
    en: 'The same in each of these attempts, but for the time, the signature and trace headers. Long numbers may be shown with fewer digits than were sent.',
    de: 'In jedem dieser Versuche gleich, bis auf Zeit, Signatur und Trace-Kopfzeilen. Lange Zahlen können hier mit weniger Stellen stehen als gesendet.',
  },
  former: {
    en: 'So it was sent before the webhook was changed',
    de: 'So wurde gesendet, bevor der Webhook geändert wurde',
  },
  formerHelp: {
    en: 'Changed on {time} or later: {parts}. What is sent now is called as the webhook says today.',
    de: 'Am {time} oder später geändert: {parts}. Was jetzt gesendet wird, ruft so auf, wie der Webhook heute sagt.',
  },
  formerSecret: {
    en: 'It was signed with a secret that has been replaced since: check its signature with that one.',
    de: 'Signiert wurde mit einem Geheimnis, das seither ersetzt ist: Prüfen Sie die Signatur mit jenem.',
  },
  unknown: {
    en: 'How it was sent is not known any more',
    de: 'Wie gesendet wurde, ist nicht mehr bekannt',
  },
  unknownHelp: {
    en: 'The webhook was changed after that, and Longshore did not keep what it said before. Address, headers, version and signature may have been others than today; event and payload are as they were sent.',
    de: 'Der Webhook wurde danach geändert, und Longshore hat nicht aufgehoben, was vorher galt. Adresse, Kopfzeilen, Version und Signatur können andere gewesen sein als heute; Ereignis und Inhalt sind wie gesendet.',
  },
  target: { en: 'address', de: 'Adresse' },
  headersPart: { en: 'headers', de: 'Kopfzeilen' },
  targetApiKey: { en: 'API key', de: 'API-Schlüssel' },
  format: { en: 'content type', de: 'Inhaltstyp' },
  apiVersion: { en: 'version', de: 'Version' },
  secret: { en: 'secret', de: 'Geheimnis' },
  otherAddress: { en: 'another address', de: 'eine andere Adresse' },
  headers: { en: 'Headers', de: 'Kopfzeilen' },
  body: { en: 'Body', de: 'Inhalt' },
  omitted: {
    en: 'The payload is too large to be shown here.',
    de: 'Der Inhalt ist zu groß, um hier gezeigt zu werden.',
  },
  erased: {
    en: 'Contacts that it had were erased since, and are not shown.',
    de: 'Kontakte, die darin standen, wurden seither gelöscht und stehen hier nicht.',
  },
});

interface RequestsProps {
  readonly log: SentEvent;
  readonly attempts: readonly Attempt[];
  /** As it is now. */
  readonly definition: Called;
  /** Where it goes instead of the address of the definition. */
  readonly callbackUrl?: string | undefined;
  /** The way to the check of the signature. */
  readonly children: ReactNode;
}

/** One section for each request that differs: a definition can be changed between two attempts. */
export function Requests({ log, attempts, definition, callbackUrl, children }: RequestsProps) {
  const t = useText();
  const format = useFormat();
  const requests = requestsOf(attempts, definition, callbackUrl);
  const titleOf = ({ attempts: made }: SentRequest) => {
    if (requests.length === 1) return t('request');
    const [first, last] = [made[0] ?? 0, made.at(-1) ?? 0].map((one) => format.number(one));
    const which =
      first === last ? t('attempt', { number: first ?? '' }) : t('attempts', { first: first ?? '', last: last ?? '' });
    return t('requestOf', { attempts: which });
  };
  return (
    <>
      {requests.map((request) => (
        <Section
          key={request.attempts.join()}
          title={titleOf(request)}
          note={request.attempts.length === 0 ? t('willBe') : t('requestNote')}
        >
          <RequestParts log={log} request={request} />
        </Section>
      ))}
      {children}
    </>
  );
}

function RequestParts({ log, request }: { readonly log: SentEvent; readonly request: SentRequest }) {
  const t = useText();
  const { called } = request;
  const body = bodyOfEvent(log, called);
  const isWithoutBody = called !== undefined && !hasBody(called);
  return (
    <>
      <Difference request={request} />
      {called === undefined ? null : (
        <>
          <p className="said">
            <strong>{called.requestType}</strong> <bdi>{called.target ?? t('otherAddress')}</bdi>
          </p>
          <Code label={t('headers')} text={headersOfEvent(log, called)} />
        </>
      )}
      {isWithoutBody ? null : log.payloadOmitted === true ? (
        <p className="note">{t('omitted')}</p>
      ) : (
        <>
          <Code label={t('body')} text={body} actions={<CopyButton text={body} what={t('body')} />} />
          {log.contactsErased === true ? <p className="note">{t('erased')}</p> : null}
        </>
      )}
    </>
  );
}

function Difference({ request: { former, called } }: { readonly request: SentRequest }) {
  const t = useText();
  const format = useFormat();
  if (called === undefined) {
    return (
      <Notice tone="warn" title={t('unknown')}>
        <p>{t('unknownHelp')}</p>
      </Notice>
    );
  }
  if (former === undefined) return null;
  const parts = former.changed.map((part) => (part === 'headers' ? t('headersPart') : t(part)));
  return (
    <Notice tone="neutral" title={t('former')}>
      <p>{t('formerHelp', { time: format.time(former.until), parts: parts.join(', ') })}</p>
      {former.changed.includes('secret') ? <p>{t('formerSecret')}</p> : null}
    </Notice>
  );
}
