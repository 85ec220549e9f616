/** What is done with a profile as a whole: another name, a copy, away with it. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { TextInput } from '../../components/text-input.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { TypedNote } from '../../typed/typed-note.js';
import { useTyped } from '../../typed/use-typed.js';
import type { Document } from './draft.js';
import { useProfileText } from './texts.js';

const useText = textsOf('profile-dialogs', {
  rename: { en: 'Rename “{name}”', de: '„{name}“ umbenennen' },
  renameNote: {
    en: 'It keeps its versions. Programs and scheduled imports that name it have to use the new name.',
    de: 'Es behält seine Versionen. Programme und geplante Importe, die es nennen, müssen den neuen Namen verwenden.',
  },
  copy: { en: 'Copy “{name}”', de: '„{name}“ kopieren' },
  copyNote: { en: 'The copy is yours to change.', de: 'Die Kopie können Sie ändern.' },
  name: { en: 'Name', de: 'Name' },
  renameDo: { en: 'Rename', de: 'Umbenennen' },
  copyDo: { en: 'Copy', de: 'Kopieren' },
  delete: { en: 'Delete “{name}”?', de: '„{name}“ löschen?' },
  deleteNote: {
    en: '{versions, plural, one {Its only version is} other {Its # versions are}} deleted. Imports that were made with it keep their copy. Files that name it are refused from then on.',
    de: '{versions, plural, one {Seine einzige Version wird} other {Seine # Versionen werden}} gelöscht. Importe, die damit gemacht wurden, behalten ihre Kopie. Dateien, die es nennen, werden dann abgelehnt.',
  },
  deleteDo: { en: 'Delete', de: 'Löschen' },
  deleted: { en: '“{name}” is deleted', de: '„{name}“ ist gelöscht' },
});

export type Deed = 'rename' | 'copy' | 'delete';

interface ProfileDialogProps {
  readonly deed: Deed;
  readonly name: string;
  readonly version: number;
  readonly document: Document;
  readonly onClose: () => void;
}

export function ProfileDialog({ deed, name, version, document, onClose }: ProfileDialogProps) {
  const t = useText();
  const p = useProfileText();
  const api = useApi();
  const { stage } = usePresent();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const typed = useTyped(`profile.${deed}.${name}`, { next: deed === 'copy' ? `${name} 2` : name });
  const { next } = typed.values;
  const { attempt, error, isBusy } = useAttempt();
  const act = async () => {
    if (deed === 'delete') {
      await api.deleteImportProfile({ name });
      tell({ tone: 'good', title: t('deleted', { name }) });
      await navigate({ to: '/$stage/imports/profiles', params: { stage: stage.name } });
    } else {
      const body = { name: next.trim(), profile: document };
      if (deed === 'copy') await api.createImportProfile({ body });
      else await api.renameImportProfile({ name, body: { name: next.trim(), version } });
      await navigate({
        to: '/$stage/imports/profiles/profile',
        params: { stage: stage.name },
        search: { name: next.trim() },
      });
    }
    await queries.invalidateQueries({ queryKey: ['profiles'] });
    typed.forgetAnd(onClose)();
  };
  return (
    <Dialog title={t(deed, { name })} isOpen onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(act);
        }}
      >
        <p>{deed === 'delete' ? t('deleteNote', { versions: version }) : t(`${deed}Note`)}</p>
        {deed === 'delete' ? null : (
          <>
            <TypedNote typed={typed} />
            <TextInput
              label={t('name')}
              value={next}
              onChange={(text) => typed.set({ next: text })}
              maxLength={100}
              autoFocus
            />
          </>
        )}
        {error === undefined ? null : <ErrorPanel error={error} />}
        <div className="actions">
          <Button
            kind={deed === 'delete' ? 'danger' : 'primary'}
            isPending={isBusy}
            isDisabled={next.trim() === '' || (deed === 'rename' && next.trim() === name)}
            onPress={() => void attempt(act)}
          >
            {t(`${deed}Do`)}
          </Button>
          <Button onPress={typed.forgetAnd(onClose)}>{p('cancel')}</Button>
        </div>
      </form>
    </Dialog>
  );
}
