/** Asks for the login when a session has ended: what was typed on the page stays, and what waits is sent afterwards. */
import { useEffect } from 'react';
import { Dialog } from '../components/dialog.js';
import { LoginForm } from '../pages/login.js';
import { continueAfterLogin, expire, onOtherWindow } from '../session/expiry.js';
import { useLoggedIn } from '../session/logged-in.js';
import { currentSession, personOf, type Session } from '../session/session.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('login-again', {
  title: { en: 'Your session has ended', de: 'Ihre Sitzung ist zu Ende' },
  help: {
    en: 'Log in again. What you have typed is still there, and goes on afterwards. Whoever else logs in sees nothing of it.',
    de: 'Melden Sie sich noch einmal an. Was Sie eingegeben haben, ist noch da, und danach geht es weiter. Meldet sich jemand anders an, ist davon nichts zu sehen.',
  },
});

export function LoginDialog({ isOpen }: { readonly isOpen: boolean }) {
  const t = useText();
  const { session, renew } = useLoggedIn();
  const goOn = (renewed: Session) => {
    // Somebody else sees nothing of this page, and nothing that waits here is sent in their name or to their account.
    if (personOf(renewed) !== personOf(session)) return location.reload();
    renew(renewed);
    continueAfterLogin();
  };
  // All windows have one session: who logs out in one has left all, and who logs in is back in all.
  useEffect(() =>
    onOtherWindow((what) => {
      if (what === 'left') return expire();
      currentSession().then(
        (found) => found !== undefined && goOn(found),
        () => undefined,
      );
    }),
  );
  return (
    <Dialog title={t('title')} isOpen={isOpen}>
      <p>{t('help')}</p>
      <LoginForm isOnPage onLogin={goOn} />
    </Dialog>
  );
}
