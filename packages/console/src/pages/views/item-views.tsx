/** The saved views of the table of items: opened with one click, and what is shown now saved under a name. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Dialog } from '../../components/dialog.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { type Column, DataTable } from '../../components/table.js';
import { usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { type ItemsSearch, readItemsSearch } from '../catalog/item-search.js';
import { SaveViewDialog } from './save-view-dialog.js';
import { useViews, type View } from './use-views.js';
import { Sharing, useViewChanges, useViewNames, ViewActions, ViewChanged } from './view-actions.js';

const MOST_SHOWN = 8;

const useText = textsOf('item-views', {
  views: { en: 'Saved views', de: 'Gespeicherte Ansichten' },
  save: { en: 'Save this view', de: 'Diese Ansicht speichern' },
  manage: { en: 'All views', de: 'Alle Ansichten' },
  name: { en: 'Name', de: 'Name' },
  actions: { en: 'Actions', de: 'Aktionen' },
  none: { en: 'No view is saved.', de: 'Keine Ansicht ist gespeichert.' },
  close: { en: 'Close', de: 'Schließen' },
});

interface ItemViewsProps {
  /** What is shown now, with its columns. */
  readonly search: ItemsSearch;
}

export function ItemViews({ search }: ItemViewsProps) {
  const t = useText();
  const [open, setOpen] = useState<'save' | 'manage'>();
  const { data: views = [] } = useViews('ITEMS');
  const nameOf = useViewNames(views);
  const { from: _, end: __, ...content } = search;
  return (
    <nav className="item-views" aria-label={t('views')}>
      {views.slice(0, MOST_SHOWN).map((view) => (
        <ViewLink key={view.id} view={view} label={nameOf(view)} className="sample" />
      ))}
      {views.length === 0 ? null : (
        <Button kind="quiet" onPress={() => setOpen('manage')}>
          {t('manage')}
        </Button>
      )}
      <Button kind="quiet" icon="save" onPress={() => setOpen('save')}>
        {t('save')}
      </Button>
      {open === 'save' ? (
        <SaveViewDialog kind="ITEMS" content={{ ...content }} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === 'manage' ? <ManageViews onClose={() => setOpen(undefined)} /> : null}
    </nav>
  );
}

interface ViewLinkProps {
  readonly view: View;
  /** What it is called among the others. */
  readonly label: string;
  readonly className?: string;
}

function ViewLink({ view: { name, content }, label, className = '' }: ViewLinkProps) {
  const { stage } = usePresent();
  return (
    <Link
      to="/$stage/items"
      params={{ stage: stage.name }}
      search={readItemsSearch(content)}
      className={className}
      aria-label={label}
    >
      <bdi>{name}</bdi>
    </Link>
  );
}

function ManageViews({ onClose }: { readonly onClose: () => void }) {
  const t = useText();
  const { data: views = [], error, refetch } = useViews('ITEMS');
  const changes = useViewChanges('ITEMS');
  const nameOf = useViewNames(views);
  const columns: Column<View>[] = [
    {
      id: 'name',
      title: t('name'),
      isHeader: true,
      cell: (view) => (
        <span className="import-name">
          <ViewLink view={view} label={nameOf(view)} />
          <Sharing view={view} />
        </span>
      ),
    },
    {
      id: 'actions',
      title: t('actions'),
      cell: (view) => (
        <span className="actions">
          <ViewActions view={view} name={nameOf(view)} changes={changes} />
        </span>
      ),
    },
  ];
  return (
    <Dialog title={t('views')} isOpen onClose={onClose} isWide>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      <ViewChanged {...changes} />
      {views.length === 0 ? (
        <p className="note">{t('none')}</p>
      ) : (
        <DataTable caption={t('views')} columns={columns} rows={views} keyOf={({ id }) => id} />
      )}
      <div className="actions">
        <Button onPress={onClose}>{t('close')}</Button>
      </div>
    </Dialog>
  );
}
