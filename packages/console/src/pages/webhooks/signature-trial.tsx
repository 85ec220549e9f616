/** Checks the signature of a request that was received. It happens in the browser: the secret goes nowhere. */
import { webhooks } from '@longshore/client';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Notice, Section } from '../../components/content.js';
import { TextAreaInput } from '../../components/text-area.js';
import { TextInput } from '../../components/text-input.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';

const useText = textsOf('signature-trial', {
  title: { en: 'Try it on a request that you received', de: 'An einem empfangenen Aufruf ausprobieren' },
  note: {
    en: 'It is checked in your browser. The secret is neither sent nor kept.',
    de: 'Geprüft wird in Ihrem Browser. Das Geheimnis wird weder gesendet noch gespeichert.',
  },
  secret: { en: 'Secret', de: 'Geheimnis' },
  body: { en: 'Body, byte for byte', de: 'Inhalt, Byte für Byte' },
  check: { en: 'Check', de: 'Prüfen' },
  right: { en: 'The signature is right', de: 'Die Signatur stimmt' },
  sentAt: { en: 'The request was sent {time}.', de: 'Der Aufruf wurde {time} gesendet.' },
  wrong: { en: 'The signature is not right', de: 'Die Signatur stimmt nicht' },
  insecure: {
    en: 'This page is not served by TLS, so the browser does not compute signatures here.',
    de: 'Diese Seite kommt nicht über TLS, darum berechnet der Browser hier keine Signaturen.',
  },
  hint: {
    en: 'Is it the secret of this webhook? Has the body all its characters, and none more, such as a line end?',
    de: 'Ist es das Geheimnis dieses Webhooks? Hat der Inhalt alle seine Zeichen und keines mehr, etwa ein Zeilenende?',
  },
});

const NOTHING = { headers: {} as Readonly<Record<string, string>>, secret: '', body: '' };
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

export function SignatureTrial() {
  const t = useText();
  const format = useFormat();
  const typed = useTyped('signature', NOTHING, { secrets: ['secret'] });
  const { headers, secret, body } = typed.values;
  const [outcome, setOutcome] = useState<{ readonly isRight: boolean; readonly said: string }>();
  const check = async () => {
    // Browsers compute signatures only on pages that nobody could have changed on their way.
    if (!window.isSecureContext) return setOutcome({ isRight: false, said: t('insecure') });
    const sentAt = new Date(Number(headers['webhook-timestamp']) * 1000);
    try {
      // Requests of yesterday are looked at too: their age is shown, and not judged.
      await webhooks.verify({ headers: { ...headers }, body, secret: secret.trim(), now: sentAt });
      setOutcome({ isRight: true, said: t('sentAt', { time: format.time(sentAt) }) });
    } catch (error) {
      setOutcome({ isRight: false, said: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <Section title={t('title')} note={t('note')}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void check();
        }}
      >
        <TypedNote typed={typed} />
        <TextInput
          isSecret
          label={t('secret')}
          value={secret}
          onChange={(next) => typed.set({ secret: next })}
          isRequired
        />
        <div className="field-grid">
          {NAMES.map((name) => (
            <TextInput
              key={name}
              label={name}
              value={headers[name] ?? ''}
              onChange={(value) => typed.set({ headers: { ...headers, [name]: value.trim() } })}
              autoComplete="off"
              isRequired
            />
          ))}
        </div>
        <TextAreaInput label={t('body')} value={body} onChange={(next) => typed.set({ body: next })} isCode rows={4} />
        <div className="actions">
          <Button type="submit">{t('check')}</Button>
        </div>
      </Form>
      {outcome === undefined ? null : (
        <Notice tone={outcome.isRight ? 'good' : 'bad'} title={t(outcome.isRight ? 'right' : 'wrong')}>
          <p className="said">{outcome.said}</p>
          {outcome.isRight ? null : <p className="note">{t('hint')}</p>}
        </Notice>
      )}
    </Section>
  );
}
