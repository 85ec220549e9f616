/** One item: what it is, its values, and its history. */
import { LongshoreError } from '@longshore/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { EmptyState, Progress } from '../../components/content.js';
import { ErrorPanel } from '../../components/error-panel.js';
import { later, useLater } from '../../components/later.js';
import { Page } from '../../components/page.js';
import { useApi, useMay, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { DeleteItem } from './delete-item.js';
import { useDrafts } from './drafts.js';
import { ItemFacts } from './item-facts.js';
import { ItemHistory } from './item-history.js';
import { ItemRelations } from './item-relations.js';
import { ItemValues } from './item-values.js';
import { SaveBar } from './save-bar.js';
import { useDefinitions } from './use-attributes.js';

/** What is seen by those who edit: the page is there before. */
const places = later(() => import('./item-places.js'));

const useText = textsOf('item-page', {
  back: { en: 'All items', de: 'Alle Artikel' },
  loading: { en: 'The item is loaded', de: 'Der Artikel wird geladen' },
  edit: { en: 'Edit', de: 'Bearbeiten' },
  stop: { en: 'Only look', de: 'Nur ansehen' },
  gone: { en: 'There is no item with this SKU', de: 'Es gibt keinen Artikel mit dieser SKU' },
  goneHelp: {
    en: 'It was deleted, or it is on another stage. What is known of its history is below.',
    de: 'Er wurde gelöscht oder ist auf einer anderen Stage. Was von seiner Geschichte bekannt ist, steht unten.',
  },
});

export function itemKey(stage: string, sku: string) {
  return ['item', stage, sku] as const;
}

export function ItemPage() {
  const t = useText();
  const api = useApi();
  const queries = useQueryClient();
  const { stage } = usePresent();
  const { sku } = useSearch({ from: '/$stage/items/item' });
  const mayWrite = useMay('catalog:write');
  const { drafts } = useDrafts();
  const [isEditing, setEditing] = useState(drafts[sku] !== undefined);
  const { data: definitions, error: undefinedBy, refetch: defineAgain } = useDefinitions();
  const editor = useLater(places);
  const {
    data: item,
    error,
    refetch,
  } = useQuery({
    queryKey: itemKey(stage.name, sku),
    // A list finds every item, also one whose SKU is an address of the API. Its values are whole.
    queryFn: async ({ signal }) => {
      const { data } = await api.listItems({ skus: [sku] }, { signal });
      const [found] = data;
      if (found === undefined)
        throw new LongshoreError(sku, { code: 'SKU_NOT_FOUND', status: 404, request: 'listItems' });
      return found;
    },
  });
  const isGone = error instanceof LongshoreError && error.status === 404;
  // Without the attributes there is nothing to be shown of the item.
  const problem = (isGone ? null : error) ?? (definitions === undefined ? undefinedBy : null);
  const reload = () => {
    void queries.invalidateQueries({ queryKey: ['item'] });
    void queries.invalidateQueries({ queryKey: ['item-history'] });
  };
  const back = (
    <Link to="/$stage/items" params={{ stage: stage.name }}>
      {t('back')}
    </Link>
  );
  const title = typeof item?.title === 'string' && item.title.length < 200 ? item.title : sku;
  return (
    <Page
      key={sku}
      title={title}
      above={back}
      note={title === sku ? undefined : <bdi className="code">{sku}</bdi>}
      actions={
        mayWrite ? (
          <>
            {item === undefined || isGone ? null : (
              <Button kind={isEditing ? 'plain' : 'primary'} onPress={() => setEditing(!isEditing)}>
                {t(isEditing ? 'stop' : 'edit')}
              </Button>
            )}
            <DeleteItem sku={sku} isGone={item === undefined || isGone} onChanged={reload} />
          </>
        ) : null
      }
    >
      {isGone ? <EmptyState title={t('gone')}>{t('goneHelp')}</EmptyState> : null}
      {problem === null ? null : (
        <ErrorPanel
          error={problem}
          onRetry={() => {
            void refetch();
            if (definitions === undefined) void defineAgain();
          }}
        />
      )}
      {item === undefined && error === null ? <Progress label={t('loading')} share={undefined} /> : null}
      {item === undefined || isGone || definitions === undefined ? null : (
        <>
          <ItemFacts item={item} definitions={definitions} />
          {isEditing && editor !== undefined ? <editor.ItemPlaces item={item} /> : null}
          <ItemValues item={item} definitions={definitions} isEditing={isEditing} />
          <ItemRelations item={item} definitions={definitions} />
        </>
      )}
      {definitions === undefined ? null : (
        <ItemHistory sku={sku} item={item} definitions={definitions} onSetBack={() => setEditing(true)} />
      )}
      {mayWrite ? <SaveBar onWritten={reload} /> : null}
    </Page>
  );
}
