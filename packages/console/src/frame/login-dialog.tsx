/** Asks for the login when a session has ended: what was typed on the page stays, and what waits is sent afterwards. */
import { Dialog } from '../components/dialog.js';
import { LoginForm } from '../pages/login.js';
import { continueAfterLogin } from '../session/expiry.js';
import { useLoggedIn } from '../session/logged-in.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('login-again', {
  title: { en: 'Your session has ended', de: 'Ihre Sitzung ist zu Ende' },
  help: {
    en: 'Log in again. What you have typed is still there, and goes on afterwards.',
    de: 'Melden Sie sich noch einmal an. Was Sie eingegeben haben, ist noch da, und danach geht es weiter.',
  },
});

export function LoginDialog({ isOpen }: { readonly isOpen: boolean }) {
  const t = useText();
  const { session, renew } = useLoggedIn();
  return (
    <Dialog title={t('title')} isOpen={isOpen}>
      <p>{t('help')}</p>
      <LoginForm
        isOnPage
        onLogin={(renewed) => {
          // Another account has other data: nothing of this page is its.
          if (renewed.accountId !== session.accountId) location.reload();
          renew(renewed);
          continueAfterLogin();
        }}
      />
    </Dialog>
  );
}
