/** Deletes a feed, which cannot be undone. */
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { tell } from '../../components/toasts.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { useFeedText } from './texts.js';
import { type Feed, useRefreshFeeds } from './use-feeds.js';

const useText = textsOf('feed-remove', {
  title: { en: 'Delete this feed?', de: 'Diesen Feed löschen?' },
  note: {
    en: '{name} takes no more files. Its settings, its secret and the list of what it has taken are gone; a feed that is made anew takes all files again. Imports stay. This cannot be undone: pause it instead if you may need it again.',
    de: '{name} nimmt keine Dateien mehr. Einstellungen, Geheimnis und die Liste des Genommenen sind weg; ein neu angelegter Feed nimmt alle Dateien noch einmal. Importe bleiben. Das lässt sich nicht rückgängig machen: Pausieren Sie ihn, wenn Sie ihn noch brauchen könnten.',
  },
  sendsNote: {
    en: '{name} sends no more files. Its settings and its secret are gone. What it has sent stays where it is. This cannot be undone: pause it instead if you may need it again.',
    de: '{name} sendet keine Dateien mehr. Einstellungen und Geheimnis sind weg. Was er gesendet hat, bleibt, wo es ist. Das lässt sich nicht rückgängig machen: Pausieren Sie ihn, wenn Sie ihn noch brauchen könnten.',
  },
  remove: { en: 'Delete', de: 'Löschen' },
  removed: { en: 'The feed is deleted', de: 'Der Feed ist gelöscht' },
});

interface RemoveDialogProps {
  readonly feed: Pick<Feed, 'id' | 'name' | 'direction'>;
  readonly onClose: () => void;
  /** It is gone. */
  readonly onRemoved?: () => Promise<void>;
}

export function RemoveDialog({ feed, onClose, onRemoved }: RemoveDialogProps) {
  const t = useText();
  const f = useFeedText();
  const api = useApi();
  const refresh = useRefreshFeeds();
  const { attempt, error, isBusy } = useAttempt();
  const remove = () =>
    attempt(async () => {
      await api.deleteFeed({ feedId: feed.id });
      tell({ tone: 'good', title: t('removed') });
      await onRemoved?.();
      onClose();
      await refresh();
    });
  return (
    <Dialog title={t('title')} isOpen onClose={onClose}>
      <p className="said">{t(feed.direction === 'SOURCE' ? 'note' : 'sendsNote', { name: feed.name })}</p>
      {error === undefined ? null : <ErrorPanel error={error} />}
      <div className="actions">
        <Button kind="danger" isPending={isBusy} onPress={remove}>
          {t('remove')}
        </Button>
        <Button onPress={onClose}>{f('cancel')}</Button>
      </div>
    </Dialog>
  );
}
