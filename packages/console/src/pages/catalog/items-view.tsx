/** The table of items with all that leads through it. */
import { LongshoreError } from '@longshore/client';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ButtonLink } from '../../components/button.js';
import { EmptyState } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { forgetDefinitions } from '../../jobs/definitions-of-jobs.js';
import { useMay, useMayImport, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { ItemViews } from '../views/item-views.js';
import { columnsOf, firstColumns, type ItemColumn, useColumnText } from './columns.js';
import { DirectHits } from './direct-hits.js';
import { useDrafts } from './drafts.js';
import { ItemCell } from './item-cell.js';
import { ItemFilters } from './item-filters.js';
import { type ItemFilter, type ItemsSearch, isNarrowed, matchOf } from './item-search.js';
import type { Direction, FoundItem } from './item-window.js';
import { ItemsBar } from './items-bar.js';
import { ItemsTable } from './items-table.js';
import { SaveBar } from './save-bar.js';
import { SearchProgress } from './search-progress.js';
import type { Definitions } from './use-attributes.js';
import { useChosenColumns } from './use-chosen-columns.js';
import { useItemWindow } from './use-item-window.js';
import { isEditable, ValueField } from './value-field.js';
import { useValues } from './values.js';

/** The table is shown without it. */
const creation = later(() => import('./new-item-dialog.js'));

const useText = textsOf('items-view', {
  none: { en: 'There are no items yet', de: 'Hier gibt es noch keine Artikel' },
  noneHelp: {
    en: 'Import a file: it says which columns it has, and the items are here when it is done. Or create the first one.',
    de: 'Importieren Sie eine Datei: Sie sehen, welche Spalten sie hat, und danach sind die Artikel hier. Oder legen Sie den ersten an.',
  },
  noneToSee: {
    en: 'As soon as somebody imports a file or creates an item, you see it here.',
    de: 'Sobald jemand eine Datei importiert oder einen Artikel anlegt, sehen Sie ihn hier.',
  },
  import: { en: 'Import a file', de: 'Datei importieren' },
  notFound: { en: 'No item is like this', de: 'Kein Artikel passt dazu' },
  notFoundHelp: {
    en: 'Take away one of the conditions, or search for a shorter part of the SKU or title.',
    de: 'Nehmen Sie eine der Bedingungen weg oder suchen Sie nach einem kürzeren Teil von SKU oder Titel.',
  },
});

interface ItemsViewProps {
  readonly definitions: Definitions;
  readonly search: ItemsSearch;
  readonly onShow: (search: ItemsSearch, replace?: boolean) => void;
}

export function ItemsView({ definitions, search, onShow }: ItemsViewProps) {
  const t = useText();
  const c = useColumnText();
  const { stage } = usePresent();
  const queries = useQueryClient();
  const mayWrite = useMay('catalog:write');
  const mayImport = useMayImport();
  const values = useValues();
  const { kept, keep } = useChosenColumns();
  const { drafts, set } = useDrafts();
  const [isEditing, setEditing] = useState(Object.keys(drafts).length > 0);
  const [isCreating, setCreating] = useState(false);
  const creating = useLater(creation);
  const [edition, setEdition] = useState(0);
  const { show, from, end, ...filter } = search;
  const ids = show ?? kept ?? firstColumns(definitions);
  const columns = columnsOf(ids, definitions, c);
  const body = {
    match: matchOf(filter),
    ...(filter.q === undefined ? {} : { q: filter.q }),
    ...(filter.sku === undefined ? {} : { skuPrefix: filter.sku }),
    attributes: columns.flatMap(({ attribute }) => attribute?.name ?? []),
  };
  const { window, state, key, isFormer } = useItemWindow({ body, ...{ from, end } }, edition);
  const { error } = state;
  useEffect(() => {
    // Somebody has deleted it while its values were a column here.
    const isGone = error instanceof LongshoreError && error.code === 'ATTRIBUTE_NOT_FOUND';
    if (isGone) void forgetDefinitions(queries, stage.name);
  }, [error, queries, stage.name]);
  const first = useRef<string>(undefined);
  const more = useCallback((direction: Direction) => void window.more(direction), [window]);
  const seeFirst = useCallback((sku: string | undefined) => {
    first.current = sku;
  }, []);
  const narrow = (next: ItemFilter, replace?: boolean) => onShow({ ...next, ...(show && { show }) }, replace);
  const isEmpty = !isFormer && state.rows.length === 0 && state.up === null && state.down === null;
  const cell = (item: FoundItem, column: ItemColumn) => {
    const { attribute, id } = column;
    if (!isEditing || attribute === undefined || !isEditable(attribute, item.cut?.includes(id) === true)) {
      return <ItemCell item={item} column={column} values={values} />;
    }
    return (
      <ValueField
        sku={item.sku}
        attribute={attribute}
        value={item.attributes[id]}
        draft={drafts[item.sku]?.[id]}
        values={values}
        onChange={(draft) => set(item.sku, id, draft)}
      />
    );
  };
  return (
    <>
      <ItemsBar
        search={search}
        definitions={definitions}
        shown={ids}
        isEditing={isEditing}
        onEditing={mayWrite ? setEditing : undefined}
        onNew={mayWrite ? () => setCreating(true) : undefined}
        onSearch={(text) => {
          const { q: _, ...others } = filter;
          narrow(text === '' ? others : { ...others, q: text }, filter.q !== undefined);
        }}
        onGo={(place) => onShow({ ...filter, ...(show && { show }), ...place })}
        onColumns={(chosen) => {
          keep(chosen);
          // The rows that are seen stay.
          onShow({ ...filter, show: chosen, ...(first.current === undefined ? {} : { from: first.current }) }, true);
        }}
      />
      <ItemViews search={{ ...filter, show: ids }} />
      <ItemFilters filter={filter} attributes={definitions.attributes} onChange={narrow} />
      {filter.q === undefined ? null : <DirectHits text={filter.q} onAll={(sku) => narrow({ sku })} />}
      {state.error === undefined ? null : <ErrorPanel error={state.error} onRetry={() => void window.goOn()} />}
      <SearchProgress window={window} state={state} isFormer={isFormer} />
      {isEmpty ? (
        <EmptyState
          title={t(isNarrowed(filter) ? 'notFound' : 'none')}
          action={
            isNarrowed(filter) || !mayImport ? null : (
              <ButtonLink kind="primary" to="/$stage/imports/new" params={{ stage: stage.name }}>
                {t('import')}
              </ButtonLink>
            )
          }
        >
          {t(isNarrowed(filter) ? 'notFoundHelp' : mayImport ? 'noneHelp' : 'noneToSee')}
        </EmptyState>
      ) : (
        <ItemsTable
          state={state}
          windowKey={key}
          isAtEnd={end === true}
          isFormer={isFormer}
          columns={columns}
          isEditing={isEditing}
          cell={cell}
          onEdge={more}
          onFirst={seeFirst}
        />
      )}
      {isCreating && creating !== undefined ? (
        <creating.NewItemDialog
          definitions={definitions}
          onWritten={() => setEdition(edition + 1)}
          onClose={() => setCreating(false)}
        />
      ) : null}
      {mayWrite ? <SaveBar onWritten={(skus) => void window.refresh(skus)} /> : null}
    </>
  );
}
