/** Who is logged in, with what the pages look like for them: language, light or dark; and the way out. */
import { useLingui } from '@lingui/react';
import { useState } from 'react';
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { BASE } from '../base.js';
import { Button } from '../components/button.js';
import { ChoiceInput } from '../components/fields.js';
import { Icon } from '../components/icon.js';
import { chooseScheme, chosenScheme, SCHEMES } from '../scheme.js';
import { useLoggedIn } from '../session/logged-in.js';
import { useRoleName } from '../session/role-names.js';
import { logOut } from '../session/session.js';
import { chooseLanguage, isLanguage, LANGUAGES } from '../texts/language.js';
import { textsOf } from '../texts/texts.js';

const useText = textsOf('person', {
  open: { en: 'You and how it looks: {name}', de: 'Sie und das Aussehen: {name}' },
  title: { en: 'You', de: 'Sie' },
  role: { en: 'Role: {role}', de: 'Rolle: {role}' },
  account: { en: 'Account {id}', de: 'Konto {id}' },
  language: { en: 'Language', de: 'Sprache' },
  scheme: { en: 'Colours', de: 'Farben' },
  system: { en: 'as the system', de: 'wie das System' },
  light: { en: 'light', de: 'hell' },
  dark: { en: 'dark', de: 'dunkel' },
  operators: { en: 'Pages for operators', de: 'Seiten für Betreiber' },
  leave: { en: 'Log out', de: 'Abmelden' },
});

export function Person() {
  const t = useText();
  const roleName = useRoleName();
  const { session, leave } = useLoggedIn();
  return (
    <DialogTrigger>
      <AriaButton className="person" aria-label={t('open', { name: session.name })}>
        <Icon name="user" />
        <span className="person-name">{session.name}</span>
      </AriaButton>
      <Popover className="popover" placement="bottom end">
        <Dialog className="person-panel" aria-label={t('title')}>
          <p className="person-title">{session.name}</p>
          <p className="note">
            {session.role === null ? null : <span>{t('role', { role: roleName(session.role) })}</span>}
            <span className="code">{t('account', { id: session.accountId })}</span>
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
    </DialogTrigger>
  );
}

/** Whether somebody has opened the operators' pages in this browser: those have a login of their own. */
function isOperator(): boolean {
  return document.cookie.split('; ').includes('longshore_operator=1');
}

/** The language and the colours of the pages. */
export function Looks() {
  const t = useText();
  const { i18n } = useLingui();
  const [scheme, setScheme] = useState(chosenScheme);
  return (
    <div className="looks">
      <ChoiceInput
        label={t('language')}
        value={isLanguage(i18n.locale) ? i18n.locale : 'en'}
        choices={Object.entries(LANGUAGES).map(([id, label]) => ({ id: id as keyof typeof LANGUAGES, label }))}
        onChange={chooseLanguage}
      />
      <ChoiceInput
        label={t('scheme')}
        value={scheme}
        choices={SCHEMES.map((id) => ({ id, label: t(id) }))}
        onChange={(chosen) => {
          chooseScheme(chosen);
          setScheme(chosen);
        }}
      />
    </div>
  );
}
