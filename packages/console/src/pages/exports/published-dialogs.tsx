/** Makes an address of a published file, gives it another one, and deletes it: the last two cannot be undone. */
import { Form } from 'react-aria-components/Form';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { fieldProblems } from '../../components/field-problems.js';
import { RadioCards } from '../../components/radio-cards.js';
import { TextInput } from '../../components/text-input.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import { type PublishedFile, useRefreshPublished } from './use-published.js';

const useText = textsOf('published-dialogs', {
  create: { en: 'Make an address', de: 'Adresse anlegen' },
  name: { en: 'Name', de: 'Name' },
  nameHelp: { en: 'For whom it is, such as “Marketplace”', de: 'Für wen sie ist, zum Beispiel „Marktplatz“' },
  whenEmpty: { en: 'What if an export is empty?', de: 'Und wenn ein Export leer ist?' },
  SKIP: { en: 'The last one stays', de: 'Der letzte bleibt liegen' },
  skipHelp: { en: 'Nobody loses all items by a mistake', de: 'Niemand verliert durch ein Versehen alle Artikel' },
  WRITE: { en: 'It replaces the last one', de: 'Er ersetzt den letzten' },
  made: {
    en: 'The address is there: choose it in an export',
    de: 'Die Adresse ist da: Wählen Sie sie in einem Export',
  },
  renew: { en: 'New address', de: 'Neue Adresse' },
  renewTitle: { en: 'Give it another address?', de: 'Eine neue Adresse vergeben?' },
  renewNote: {
    en: 'The address that {name} has now finds nothing any more, at once. Give the new one to those who fetch the file. This cannot be undone.',
    de: 'Unter der jetzigen Adresse von {name} ist sofort nichts mehr zu finden. Geben Sie die neue denen, die die Datei abholen. Das lässt sich nicht rückgängig machen.',
  },
  renewed: { en: 'It has a new address', de: 'Sie hat eine neue Adresse' },
  remove: { en: 'Delete', de: 'Löschen' },
  removeTitle: { en: 'Delete this published file?', de: 'Diese veröffentlichte Datei löschen?' },
  removeNote: {
    en: 'Under the address of {name} nothing is found any more, at once. Exports that publish there fail. This cannot be undone.',
    de: 'Unter der Adresse von {name} ist sofort nichts mehr zu finden. Exporte, die dort veröffentlichen, schlagen fehl. Das lässt sich nicht rückgängig machen.',
  },
  removed: { en: 'The published file is deleted', de: 'Die veröffentlichte Datei ist gelöscht' },
  cancel: { en: 'Cancel', de: 'Abbrechen' },
});

export type Asking = { readonly what: 'create' } | { readonly what: 'renew' | 'remove'; readonly file: PublishedFile };

interface PublishedDialogProps {
  readonly asking: Asking;
  readonly onClose: () => void;
}

export function PublishedDialog({ asking, onClose }: PublishedDialogProps) {
  return asking.what === 'create' ? (
    <CreateDialog onClose={onClose} />
  ) : (
    <SureDialog what={asking.what} file={asking.file} onClose={onClose} />
  );
}

/** Does it, tells that it is done, and closes the dialog. */
function useDoing(onClose: () => void) {
  const refresh = useRefreshPublished();
  const { attempt, error, isBusy } = useAttempt();
  const run = (act: () => Promise<unknown>, done: string) =>
    attempt(async () => {
      await act();
      tell({ tone: 'good', title: done });
      await refresh();
      onClose();
    });
  return { run, error, isBusy };
}

function CreateDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const api = useApi();
  const typed = useTyped('published', { name: '', whenEmpty: 'SKIP' as 'SKIP' | 'WRITE' });
  const { name, whenEmpty } = typed.values;
  const { run, error, isBusy } = useDoing(typed.forgetAnd(onClose));
  return (
    <Dialog title={t('create')} isOpen onClose={onClose}>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => api.createPublishedFile({ body: { name: name.trim(), whenEmpty } }), t('made'));
        }}
      >
        <TypedNote typed={typed} />
        <TextInput
          label={t('name')}
          help={t('nameHelp')}
          error={fieldProblems(error).get('name')}
          value={name}
          onChange={(next) => typed.set({ name: next })}
          maxLength={100}
          autoComplete="off"
          isRequired
          autoFocus
        />
        <RadioCards
          label={t('whenEmpty')}
          value={whenEmpty}
          choices={[
            { value: 'SKIP', label: t('SKIP'), help: t('skipHelp') },
            { value: 'WRITE', label: t('WRITE') },
          ]}
          onChange={(value) => typed.set({ whenEmpty: value as 'SKIP' })}
        />
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button type="submit" kind="primary" isPending={isBusy} isDisabled={name.trim() === ''}>
            {t('create')}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{t('cancel')}</Button>
        </div>
      </Form>
    </Dialog>
  );
}

interface SureDialogProps {
  readonly what: 'renew' | 'remove';
  readonly file: PublishedFile;
  readonly onClose: () => void;
}

function SureDialog({ what, file: { id, name }, onClose }: SureDialogProps) {
  const t = useText();
  const api = useApi();
  const { run, error, isBusy } = useDoing(onClose);
  const act = () =>
    what === 'renew'
      ? api.renewPublishedFile({ publishedFileId: id })
      : api.deletePublishedFile({ publishedFileId: id });
  return (
    <Dialog title={t(`${what}Title`)} isOpen onClose={onClose}>
      <p className="said">{t(`${what}Note`, { name })}</p>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button
          kind="danger"
          isPending={isBusy}
          onPress={() => void run(act, t(what === 'renew' ? 'renewed' : 'removed'))}
        >
          {t(what)}
        </Button>
        <Button onPress={onClose}>{t('cancel')}</Button>
      </div>
    </Dialog>
  );
}
