/** What is done with one saved view besides opening it: shared, no longer shared, deleted, and got back. */
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge, Notice } from '../../components/content.js';
import { distinctNames } from '../../components/distinct-names.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { useAttempt } from '../../components/use-attempt.js';
import { useApi, useMay } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { bodyOf, useRefreshViews, type View } from './use-views.js';

const useText = textsOf('view-actions', {
  share: { en: 'Share', de: 'Teilen' },
  shareOf: { en: 'Share “{name}”', de: '„{name}“ teilen' },
  unshare: { en: 'Stop sharing', de: 'Nicht mehr teilen' },
  unshareOf: { en: 'Stop sharing “{name}”', de: '„{name}“ nicht mehr teilen' },
  delete: { en: 'Delete', de: 'Löschen' },
  deleteOf: { en: 'Delete “{name}”', de: '„{name}“ löschen' },
  deleted: { en: '“{name}” is deleted', de: '„{name}“ ist gelöscht' },
  undo: { en: 'Undo', de: 'Rückgängig' },
  sharedByYou: { en: 'shared', de: 'geteilt' },
  sharedBy: { en: 'shared by {name}', de: 'geteilt von {name}' },
  somebody: { en: 'somebody who has left', de: 'jemandem, der nicht mehr da ist' },
});

/** Changes of views, what has gone wrong with the last one, and the view that was deleted last. */
export function useViewChanges(kind: View['kind']) {
  const api = useApi();
  const refresh = useRefreshViews(kind);
  const { attempt, error, isBusy } = useAttempt();
  const [deleted, setDeleted] = useState<View>();
  const doing = (act: () => Promise<unknown>) => attempt(() => act().finally(refresh));
  return {
    error,
    isBusy,
    deleted,
    share: (view: View, shared: boolean) =>
      doing(() => api.updateView({ viewId: view.id, body: { ...bodyOf(view), shared } })),
    remove: (view: View) => doing(async () => setDeleted(await api.deleteView({ viewId: view.id }))),
    restore: ({ name, content, shared }: View) =>
      doing(async () => {
        await api.createView({ body: { kind, name, content, shared } });
        setDeleted(undefined);
      }),
  };
}

type Changes = ReturnType<typeof useViewChanges>;

/** Says what was deleted, and gets it back; or what has gone wrong. */
export function ViewChanged({ error, isBusy, deleted, restore }: Changes) {
  const t = useText();
  return (
    <>
      {error === undefined ? null : <ErrorPanel error={error} />}
      {deleted === undefined ? null : (
        <Notice
          tone="neutral"
          title={t('deleted', { name: deleted.name })}
          actions={
            <Button isPending={isBusy} onPress={() => void restore(deleted)}>
              {t('undo')}
            </Button>
          }
        />
      )}
    </>
  );
}

/** Who else sees it. */
export function Sharing({ view: { shared, own, ownerName } }: { readonly view: View }) {
  const t = useText();
  if (!shared) return null;
  return <Badge tone="neutral">{own ? t('sharedByYou') : t('sharedBy', { name: ownerName ?? t('somebody') })}</Badge>;
}

/** What each is called: two people may have chosen the same name. */
export function useViewNames(views: readonly View[]): (view: View) => string {
  const t = useText();
  const names = distinctNames(
    views,
    ({ name }) => name,
    ({ ownerName }) => t('sharedBy', { name: ownerName ?? t('somebody') }),
  );
  return (view) => names.get(view) ?? view.name;
}

interface ViewActionsProps {
  readonly view: View;
  /** What it is called among the others. */
  readonly name: string;
  readonly changes: Changes;
}

export function ViewActions({ view, name, changes }: ViewActionsProps) {
  const t = useText();
  const mayShare = useMay('catalog:write');
  const { own, shared } = view;
  return (
    <>
      {own && mayShare ? (
        <Button
          kind="quiet"
          isPending={changes.isBusy}
          aria-label={t(shared ? 'unshareOf' : 'shareOf', { name })}
          onPress={() => void changes.share(view, !shared)}
        >
          {t(shared ? 'unshare' : 'share')}
        </Button>
      ) : null}
      {(shared ? mayShare : own) ? (
        <Button
          kind="quiet"
          isPending={changes.isBusy}
          aria-label={t('deleteOf', { name })}
          onPress={() => void changes.remove(view)}
        >
          {t('delete')}
        </Button>
      ) : null}
    </>
  );
}
