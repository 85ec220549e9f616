/** What is done with a person: a new link, another role, no access any more. */
import type { schemas } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { LinkToPassOn } from './link-to-pass-on.js';
import { RoleChoice } from './role-choice.js';
import type { Person } from './roles.js';

const useText = textsOf('person-dialogs', {
  linkTitle: { en: 'A new link for {name}', de: 'Ein neuer Link für {name}' },
  linkNote: {
    en: 'For somebody who has lost the link or is logged out. A link from before is worthless then.',
    de: 'Für jemanden, der den Link verloren hat oder abgemeldet ist. Ein früherer Link gilt dann nicht mehr.',
  },
  make: { en: 'Make a link', de: 'Link erzeugen' },
  changeTitle: { en: 'Change {name}', de: '{name} ändern' },
  name: { en: 'Name', de: 'Name' },
  save: { en: 'Save', de: 'Speichern' },
  changed: { en: '{name} is changed', de: '{name} ist geändert' },
  removeTitle: { en: 'Remove {name}?', de: '{name} entfernen?' },
  removeNote: {
    en: 'All sessions and links of this person end within seconds. What the person has done stays. You can invite the person again.',
    de: 'Alle Sitzungen und Links dieser Person enden in Sekunden. Was sie getan hat, bleibt. Sie können sie wieder einladen.',
  },
  remove: { en: 'Remove', de: 'Entfernen' },
  removed: { en: '{name} has no access any more', de: '{name} hat keinen Zugang mehr' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

interface DialogProps {
  readonly person: Person;
  readonly onClose: () => void;
}

/** An attempt whose error is shown. */
function useAction() {
  const { attempt, error, isBusy } = useAttempt();
  return { error: error === undefined ? null : <ErrorPanel error={error} />, isBusy, run: attempt };
}

export function LinkDialog({ person, onClose }: DialogProps) {
  const t = useText();
  const api = useApi();
  const { error, isBusy, run } = useAction();
  const [invited, setInvited] = useState<schemas.InvitedPerson>();
  const title = t('linkTitle', { name: person.name });
  if (invited !== undefined) {
    return (
      <Dialog title={title} isOpen>
        <LinkToPassOn invited={invited} onClose={onClose} />
      </Dialog>
    );
  }
  const make = () => run(async () => setInvited(await api.invitePerson({ personId: person.id })));
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <p>{t('linkNote')}</p>
      {error}
      <div className="actions">
        <Button kind="primary" isPending={isBusy} onPress={make}>
          {t('make')}
        </Button>
        <Button onPress={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}

export function ChangeDialog({ person, onClose }: DialogProps) {
  const t = useText();
  const api = useApi();
  const { error, isBusy, run } = useAction();
  const basis = JSON.stringify([person.name, person.role]);
  const typed = useTyped(`person.${person.id}`, { name: person.name, role: person.role }, { basis });
  const { name, role } = typed.values;
  const save = () =>
    run(async () => {
      const change = {
        ...(name.trim() === person.name ? {} : { name: name.trim() }),
        ...(role === person.role ? {} : { role }),
      };
      await api.updatePerson({ personId: person.id, body: change });
      tell({ tone: 'good', title: t('changed', { name }) });
      typed.forgetAnd(onClose)();
    });
  return (
    <Dialog title={t('changeTitle', { name: person.name })} isOpen onClose={onClose}>
      <TypedNote typed={typed} />
      <TextInput label={t('name')} value={name} onChange={(next) => typed.set({ name: next })} isRequired />
      <RoleChoice value={role} onChange={(next) => typed.set({ role: next })} />
      {error}
      <div className="actions">
        <Button kind="primary" isPending={isBusy} onPress={save}>
          {t('save')}
        </Button>
        <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}

export function RemoveDialog({ person, onClose }: DialogProps) {
  const t = useText();
  const api = useApi();
  const { error, isBusy, run } = useAction();
  const remove = () =>
    run(async () => {
      await api.deletePerson({ personId: person.id });
      tell({ tone: 'good', title: t('removed', { name: person.name }) });
      onClose();
    });
  return (
    <Dialog title={t('removeTitle', { name: person.name })} isOpen onClose={onClose}>
      <p>{t('removeNote')}</p>
      {error}
      <div className="actions">
        <Button kind="danger" isPending={isBusy} onPress={remove}>
          {t('remove')}
        </Button>
        <Button onPress={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
