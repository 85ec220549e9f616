/** The login over a page whose session has ended: it is loaded after the page. */
import { Dialog } from '../components/dialog.js';
import { LoginForm } from '../pages/login.js';
import type { Session } from '../session/session.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('login-again', {
  title: { en: 'Your session has ended', de: 'Ihre Sitzung ist zu Ende' },
  help: {
    en: 'Log in again. What you have typed is still there, and goes on afterwards. Whoever else logs in sees nothing of it.',
    de: 'Melden Sie sich noch einmal an. Was Sie eingegeben haben, ist noch da, und danach geht es weiter. Meldet sich jemand anders an, ist davon nichts zu sehen.',
  },
});

export function LoginQuestion({ onLogin }: { readonly onLogin: (session: Session) => void }) {
  const t = useText();
  return (
    <Dialog title={t('title')} isOpen>
      <p>{t('help')}</p>
      <LoginForm isOnPage onLogin={onLogin} />
    </Dialog>
  );
}
