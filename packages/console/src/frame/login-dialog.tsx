/** Asks for the login when a session has ended: what was typed on the page stays, and what waits is sent afterwards. */
import { useEffect } from 'react';
import { later, loadSurely, useLater } from '../components/later.js';
import { continueAfterLogin, expire, onOtherWindow } from '../session/expiry.js';
import { useLoggedIn } from '../session/logged-in.js';
import { currentSession, personOf, type Session } from '../session/session.js';

const question = later(() => import('./login-question.js'));

export function LoginDialog({ isOpen }: { readonly isOpen: boolean }) {
  const loaded = useLater(question);
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
  useEffect(() => {
    if (isOpen) void loadSurely(question);
  }, [isOpen]);
  return isOpen && loaded !== undefined ? <loaded.LoginQuestion onLogin={goOn} /> : null;
}
