/** Who is logged in, with what the pages look like for them, and the way out: it is loaded after the page. */
import type { RefObject } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { BASE } from '../base.js';
import { Button } from '../components/button.js';
import { useLoggedIn } from '../session/logged-in.js';
import { useRoleName } from '../session/role-names.js';
import { logOut } from '../session/session.js';
import { textsOf } from '../texts/texts.js';
import { Looks } from './looks.js';

const useText = textsOf('person-panel', {
  title: { en: 'You', de: 'Sie' },
  role: { en: 'Role: {role}', de: 'Rolle: {role}' },
  account: { en: 'Account {id}', de: 'Konto {id}' },
  operators: { en: 'Pages for operators', de: 'Seiten für Betreiber' },
  leave: { en: 'Log out', de: 'Abmelden' },
});

interface PersonPanelProps {
  readonly trigger: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

export function PersonPanel({ trigger, onClose }: PersonPanelProps) {
  const t = useText();
  const roleName = useRoleName();
  const { session, leave } = useLoggedIn();
  return (
    <Popover
      isOpen
      triggerRef={trigger}
      className="popover"
      placement="bottom end"
      onOpenChange={(isOpen) => isOpen || onClose()}
    >
      <Dialog className="person-panel" aria-label={t('title')}>
        <p className="person-title">{session.name}</p>
        <p className="note">
          {session.role === null ? null : <span>{t('role', { role: roleName(session.role) })}</span>}
          <bdi>{session.accountName}</bdi> <span className="code">{t('account', { id: session.accountId })}</span>
        </p>
        <Looks />
        {isOperator() ? <a href={`${BASE}/admin`}>{t('operators')}</a> : null}
        <Button
          onPress={async () => {
            // Whatever the API says: this page shows nothing any more.
            await logOut().catch(() => undefined);
            leave();
          }}
        >
          {t('leave')}
        </Button>
      </Dialog>
    </Popover>
  );
}

/** Whether somebody has opened the operators' pages in this browser: those have a login of their own. */
function isOperator(): boolean {
  return document.cookie.split('; ').includes('longshore_operator=1');
}
