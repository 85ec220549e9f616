/** The login by the identity provider. Where something was typed on the page, it takes place in another window. */
import { useEffect, useState } from 'react';
import { Button } from '../components/button.js';
import { Notice } from '../components/content.js';
import { keepReturn, onLoggedInElsewhere, PROVIDER } from '../session/arrival.js';
import { beginAtProvider, currentSession, type Session, SessionRefused } from '../session/session.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('provider-login', {
  by: { en: 'Log in with {name}', de: 'Mit {name} anmelden' },
  away: {
    en: '{name} does not answer. Try again shortly, or log in by a link.',
    de: '{name} antwortet nicht. Versuchen Sie es gleich noch einmal, oder melden Sie sich mit einem Link an.',
  },
  refused: { en: 'The login was refused', de: 'Die Anmeldung wurde abgelehnt' },
  removed: {
    en: 'Your access was removed. Ask an owner of the account.',
    de: 'Ihr Zugang wurde entfernt. Fragen Sie einen Inhaber des Kontos.',
  },
  choose: { en: 'Which account do you want to log in to?', de: 'In welchem Konto möchten Sie sich anmelden?' },
  elsewhere: {
    en: 'A new window opens. Log in there, then come back to this one.',
    de: 'Ein neues Fenster öffnet sich. Melden Sie sich dort an und kommen Sie dann hierher zurück.',
  },
});

interface ProviderLoginProps {
  /** Why the last login by it was refused. */
  readonly refused?: unknown;
  /** Set where the page has to stay: gets the session that another window has begun. */
  readonly onLoginElsewhere?: ((session: Session) => void) | undefined;
}

export function ProviderLogin({ refused, onLoginElsewhere }: ProviderLoginProps) {
  const t = useText();
  const [error, setError] = useState<unknown>(refused);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (onLoginElsewhere === undefined) return undefined;
    return onLoggedInElsewhere(() => {
      // Whoever is still logged out goes on waiting.
      currentSession().then(
        (session) => session !== undefined && onLoginElsewhere(session),
        () => undefined,
      );
    });
  }, [onLoginElsewhere]);
  if (PROVIDER === '') return null;
  const name = { name: PROVIDER };
  const go = async (account?: string) => {
    setError(undefined);
    if (onLoginElsewhere !== undefined) {
      open(`${location.pathname}${location.search}`, '_blank');
      return;
    }
    setBusy(true);
    try {
      const address = await beginAtProvider();
      keepReturn(account);
      location.assign(address);
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  const { code = '', problems = [] } = error instanceof SessionRefused ? error : {};
  return (
    <div className="login-provider">
      {code === 'CHOOSE_ACCOUNT' ? (
        <fieldset className="login-choice">
          <legend>{t('choose')}</legend>
          {problems.map(({ path, message }) => (
            <Button key={path} isPending={isBusy} onPress={() => go(path)}>
              <bdi>{message}</bdi>
            </Button>
          ))}
        </fieldset>
      ) : (
        <>
          {error === undefined ? null : <Refusal error={error} />}
          <Button kind="primary" isPending={isBusy} onPress={() => go()}>
            {t('by', name)}
          </Button>
          {onLoginElsewhere === undefined ? null : <p className="note">{t('elsewhere')}</p>}
        </>
      )}
    </div>
  );
}

/** The API's sentence: it names the groups and who can help. */
function Refusal({ error }: { readonly error: unknown }) {
  const t = useText();
  const { code = '', message = String(error) } = error instanceof SessionRefused ? error : {};
  const said =
    code === 'PROVIDER_AWAY' ? t('away', { name: PROVIDER }) : code === 'ACCESS_REMOVED' ? t('removed') : message;
  return (
    <Notice tone="bad" title={t('refused')}>
      <bdi>{said}</bdi>
    </Notice>
  );
}

/** Whether a login by the provider was refused, and not one by a token or a link. */
export function isOfProvider(error: unknown): boolean {
  const codes = ['PROVIDER_AWAY', 'PROVIDER_REFUSED', 'NO_ROLE', 'ACCESS_REMOVED', 'CHOOSE_ACCOUNT', 'TOO_MANY_PEOPLE'];
  return error instanceof SessionRefused && codes.includes(error.code);
}
