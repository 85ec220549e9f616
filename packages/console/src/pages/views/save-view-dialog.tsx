/** Gives what is shown a name, so that it is found again. */
import type { ReactNode } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { SwitchInput } from '../../components/switch-input.js';
import { TextInput } from '../../components/text-input.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { type Content, useRefreshViews, useViews, type View } from './use-views.js';

const useText = textsOf('save-view', {
  ITEMS: { en: 'Save this view', de: 'Diese Ansicht speichern' },
  EXPORT: { en: 'Save this export', de: 'Diesen Export speichern' },
  ITEMSNote: {
    en: 'It keeps the search, the conditions and the columns.',
    de: 'Sie behält Suche, Bedingungen und Spalten.',
  },
  EXPORTNote: {
    en: 'It keeps the conditions, the columns and the form of the file, and is run again with one click.',
    de: 'Er behält Bedingungen, Spalten und Form der Datei und lässt sich mit einem Klick wiederholen.',
  },
  name: { en: 'Name', de: 'Name' },
  share: { en: 'Share it with everybody of the account', de: 'Mit allen im Konto teilen' },
  replaces: {
    en: 'You have one of this name already: it is replaced.',
    de: 'Es gibt schon eine mit diesem Namen von Ihnen: Sie wird ersetzt.',
  },
  save: { en: 'Save', de: 'Speichern' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
  saved: { en: '“{name}” is saved', de: '„{name}“ ist gespeichert' },
});

interface SaveViewDialogProps {
  readonly kind: View['kind'];
  readonly content: Content;
  readonly firstName?: string;
  /** What else is asked. */
  readonly children?: ReactNode;
  readonly onClose: () => void;
}

export function SaveViewDialog({ kind, content, firstName = '', children, onClose }: SaveViewDialogProps) {
  const t = useText();
  const api = useApi();
  const mayShare = useMay('catalog:write');
  const refresh = useRefreshViews(kind);
  const { data: views = [] } = useViews(kind);
  const typed = useTyped(`save.${kind}`, { name: firstName, shared: false });
  const { shared } = typed.values;
  const { attempt, error, isBusy } = useAttempt();
  const name = typed.values.name.trim();
  const same = views.find((view) => view.own && view.name.toLowerCase() === name.toLowerCase());
  const save = () => {
    if (name === '') return;
    return attempt(async () => {
      try {
        if (same === undefined) await api.createView({ body: { kind, name, content, shared } });
        else await api.updateView({ viewId: same.id, body: { name, content, shared, version: same.version } });
        tell({ tone: 'good', title: t('saved', { name }) });
        typed.forgetAnd(onClose)();
      } finally {
        await refresh();
      }
    });
  };
  return (
    <Dialog title={t(kind)} isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <p>{t(`${kind}Note`)}</p>
        <TypedNote typed={typed} />
        <TextInput
          label={t('name')}
          {...(same === undefined ? {} : { help: t('replaces') })}
          value={typed.values.name}
          onChange={(next) => typed.set({ name: next })}
          maxLength={100}
          autoFocus
        />
        {children}
        {mayShare ? (
          <SwitchInput label={t('share')} isOn={shared} onChange={(isOn) => typed.set({ shared: isOn })} />
        ) : null}
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button kind="primary" isPending={isBusy} isDisabled={name === ''} onPress={() => void save()}>
            {t('save')}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
