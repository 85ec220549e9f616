/** Invites somebody: a name, a role, and then the link to pass on. */
import type { schemas } from '@longshore/client';
import { useState } from 'react';
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { LinkToPassOn } from './link-to-pass-on.js';
import { RoleChoice } from './role-choice.js';
import type { Role } from './roles.js';

const useText = textsOf('invite', {
  title: { en: 'Invite somebody', de: 'Jemanden einladen' },
  name: { en: 'Name', de: 'Name' },
  nameHelp: {
    en: 'It stands beside what the person does, such as “Kim from purchasing”',
    de: 'Er steht bei dem, was die Person tut, zum Beispiel „Kim vom Einkauf“',
  },
  make: { en: 'Make a link', de: 'Link erzeugen' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const typed = useTyped('invite', { name: '', role: 'editor' as Role });
  const { name, role } = typed.values;
  const [invited, setInvited] = useState<schemas.InvitedPerson>();
  const { attempt, error, isBusy } = useAttempt();
  const invite = () =>
    attempt(async () => {
      setInvited(await api.createPerson({ body: { name: name.trim(), role } }));
      typed.forget();
    });
  if (invited !== undefined) {
    return (
      <Dialog title={t('title')} isOpen>
        <LinkToPassOn invited={invited} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={t('title')} isOpen onClose={onClose}>
      <Form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void invite();
        }}
      >
        <TypedNote typed={typed} />
        <TextInput
          label={t('name')}
          help={t('nameHelp')}
          value={name}
          onChange={(next) => typed.set({ name: next })}
          isRequired
          autoFocus
        />
        <RoleChoice value={role} onChange={(next) => typed.set({ role: next })} />
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isPending={isBusy}>
            {t('make')}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
        </div>
      </Form>
    </Dialog>
  );
}
