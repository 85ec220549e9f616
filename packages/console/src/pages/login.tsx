/** The login: by a token, or by the code of a link. */
import { type FormEvent, useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../components/button.js';
import { Sign } from '../components/icon.js';
import { TextInput } from '../components/text-input.js';
import { Looks } from '../frame/looks.js';
import { PROVIDER } from '../session/arrival.js';
import { logIn, type Session, SessionRefused } from '../session/session.js';
import { textsOf } from '../texts/texts.js';
import { isOfProvider, ProviderLogin } from './provider-login.js';

const useText = textsOf('login', {
  title: { en: 'Log in', de: 'Anmelden' },
  what: {
    en: 'Import your files, see what changes, and correct what failed.',
    de: 'Dateien importieren, Änderungen sehen und Fehler korrigieren.',
  },
  token: { en: 'Token or code', de: 'Token oder Code' },
  tokenHelp: {
    en: 'A token of your account, or the code of a link that somebody has sent you. A link logs in by itself.',
    de: 'Ein Token Ihres Kontos oder der Code eines Links, den Sie bekommen haben. Ein Link meldet von selbst an.',
  },
  submit: { en: 'Log in', de: 'Anmelden' },
  empty: { en: 'Paste your token or code here.', de: 'Fügen Sie hier Ihren Token oder Code ein.' },
  wrong: {
    en: 'This token or code is not valid: it is mistyped, was used already, has expired or was revoked. Ask for a new one.',
    de: 'Dieser Token oder Code gilt nicht: Er ist falsch geschrieben, schon benutzt, abgelaufen oder widerrufen. Bitten Sie um einen neuen.',
  },
  many: {
    en: 'Too many attempts. Wait a minute and try again.',
    de: 'Zu viele Versuche. Warten Sie eine Minute und versuchen Sie es dann noch einmal.',
  },
  away: {
    en: 'Longshore does not answer. Check your connection and try again.',
    de: 'Longshore antwortet nicht. Prüfen Sie die Verbindung und versuchen Sie es noch einmal.',
  },
  other: { en: 'The login was refused: {message}', de: 'Die Anmeldung wurde abgelehnt: {message}' },
  or: { en: 'or without it:', de: 'oder ohne:' },
  how: { en: 'Where do I get a token?', de: 'Woher bekomme ich einen Token?' },
  howText: {
    en: 'The owner of your account makes one, or an operator by: npm run admin -- token create. "npm start" and "npm run demo" print a link that logs in.',
    de: 'Der Inhaber Ihres Kontos erstellt einen, oder ein Betreiber mit: npm run admin -- token create. „npm start“ und „npm run demo“ zeigen einen Link, der anmeldet.',
  },
});

interface LoginFormProps {
  readonly onLogin: (session: Session) => void;
  /** Why the code of the link, or the login by the provider, was refused. */
  readonly refused?: unknown;
  /** Whether what is on the page has to stay there. */
  readonly isOnPage?: boolean;
}

export function LoginPage(props: LoginFormProps) {
  const t = useText();
  return (
    <main className="login">
      <div className="login-card">
        <div className="login-brand">
          <Sign />
          <span className="brand-name">Longshore</span>
        </div>
        <h1>{t('title')}</h1>
        <p className="note">{t('what')}</p>
        <LoginForm {...props} />
        <details className="login-how">
          <summary>{t('how')}</summary>
          <p className="note">{t('howText')}</p>
        </details>
      </div>
      <div className="login-looks">
        <Looks />
      </div>
    </main>
  );
}

export function LoginForm({ onLogin, refused, isOnPage = false }: LoginFormProps) {
  const t = useText();
  const [error, setError] = useState<unknown>(isOfProvider(refused) ? undefined : refused);
  const [isEmpty, setEmpty] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const given = String(new FormData(event.currentTarget).get('token') ?? '').trim();
    setEmpty(given === '');
    setError(undefined);
    if (given === '' || isBusy) return;
    setBusy(true);
    try {
      onLogin(await tokenOrCode(given));
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  };
  const wrong = isEmpty ? t('empty') : error === undefined ? undefined : reasonOf(error, t);
  const form = (
    <Form className="form" onSubmit={submit}>
      <TextInput
        name="token"
        type="password"
        label={t('token')}
        help={t('tokenHelp')}
        error={wrong}
        autoComplete="current-password"
        autoFocus={PROVIDER === ''}
      />
      <Button type="submit" kind={PROVIDER === '' ? 'primary' : 'plain'} isPending={isBusy}>
        {t('submit')}
      </Button>
    </Form>
  );
  if (PROVIDER === '') return form;
  return (
    <>
      <ProviderLogin
        {...(isOfProvider(refused) ? { refused } : {})}
        {...(isOnPage ? { onLoginElsewhere: onLogin } : {})}
      />
      <p className="login-or">{t('or')}</p>
      {form}
    </>
  );
}

/** What was pasted may be a whole link, its code, or a token. */
async function tokenOrCode(given: string): Promise<Session> {
  const code = /#code=([^&]+)/.exec(given)?.[1];
  if (code !== undefined) return logIn({ code: decodeURIComponent(code) });
  if (given.startsWith('lst_')) return logIn({ token: given });
  // Refused logins are counted, so that the less frequent one is tried only if need be.
  return logIn({ code: given }).catch((refusal: unknown) => {
    if (refusal instanceof SessionRefused && [400, 401].includes(refusal.status)) return logIn({ token: given });
    throw refusal;
  });
}

function reasonOf(error: unknown, t: ReturnType<typeof useText>): string {
  if (!(error instanceof SessionRefused)) return t('other', { message: String(error) });
  if (error.status === 0) return t('away');
  if (error.status === 401 || error.status === 400) return t('wrong');
  return error.status === 429 ? t('many') : t('other', { message: error.message });
}
