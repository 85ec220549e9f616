/** Searches, counts, leads to a place, chooses columns, and begins to edit. */
import { useState } from 'react';
import { Button, ButtonLink } from '../../components/button.js';
import { SearchField } from '../../components/search-field.js';
import { TextInput } from '../../components/text-input.js';
import { usePresent } from '../../session/session-context.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { ColumnsDialog } from './columns-dialog.js';
import type { ItemsSearch } from './item-search.js';
import type { Definitions } from './use-attributes.js';
import { useCount } from './use-count.js';

const useText = textsOf('items-bar', {
  search: { en: 'Search in SKU and title', de: 'In SKU und Titel suchen' },
  go: { en: 'Go to SKU', de: 'Zur SKU' },
  goButton: { en: 'Go', de: 'Los' },
  start: { en: 'To the start', de: 'Zum Anfang' },
  end: { en: 'To the end', de: 'Zum Ende' },
  columns: { en: 'Columns', de: 'Spalten' },
  count: { en: 'Count', de: 'Zählen' },
  counting: { en: '{count} so far …', de: 'bis jetzt {count} …' },
  counted: { en: '{count, plural, one {# item} other {# items}}', de: '{count, plural, other {# Artikel}}' },
  uncounted: { en: 'It could not be counted. Try again.', de: 'Das Zählen ging nicht. Versuchen Sie es noch einmal.' },
  edit: { en: 'Edit', de: 'Bearbeiten' },
  stopEditing: { en: 'Only look', de: 'Nur ansehen' },
  new: { en: 'New item', de: 'Neuer Artikel' },
  export: { en: 'Export these', de: 'Diese exportieren' },
});

interface ItemsBarProps {
  readonly search: ItemsSearch;
  readonly definitions: Definitions;
  readonly shown: readonly string[];
  readonly isEditing: boolean;
  /** Undefined: one may only look. */
  readonly onEditing: ((isEditing: boolean) => void) | undefined;
  /** Undefined: one may only look. */
  readonly onNew: (() => void) | undefined;
  readonly onSearch: (text: string) => void;
  readonly onGo: (place: Pick<ItemsSearch, 'from' | 'end'>) => void;
  readonly onColumns: (ids: readonly string[]) => void;
}

export function ItemsBar(props: ItemsBarProps) {
  const { search, definitions, shown, isEditing, onEditing, onNew, onSearch, onGo, onColumns } = props;
  const t = useText();
  const format = useFormat();
  const { stage } = usePresent();
  const [place, setPlace] = useState('');
  const [isChoosing, setChoosing] = useState(false);
  const { show: _, from: __, end: ___, ...filter } = search;
  const count = useCount(filter);
  return (
    <div className="items-bar">
      <SearchField label={t('search')} text={search.q ?? ''} onSearch={onSearch} />
      <form
        className="go-to"
        onSubmit={(event) => {
          event.preventDefault();
          if (place !== '') onGo({ from: place });
        }}
      >
        <TextInput label={t('go')} type="search" value={place} onChange={setPlace} />
        <Button type="submit">{t('goButton')}</Button>
      </form>
      <div className="actions">
        <Button kind="quiet" onPress={() => onGo({})}>
          {t('start')}
        </Button>
        <Button kind="quiet" onPress={() => onGo({ end: true })}>
          {t('end')}
        </Button>
      </div>
      <div className="actions items-actions">
        <p className="count" role="status">
          {count.error !== undefined
            ? t('uncounted')
            : count.number === undefined
              ? ''
              : count.isCounting
                ? t('counting', { count: format.number(count.number) })
                : t('counted', { count: count.number })}
        </p>
        <Button kind="quiet" isDisabled={count.isCounting} onPress={count.begin}>
          {t('count')}
        </Button>
        <Button onPress={() => setChoosing(true)}>{t('columns')}</Button>
        <ButtonLink icon="download" to="/$stage/exports/new" params={{ stage: stage.name }} search={filter}>
          {t('export')}
        </ButtonLink>
        {onNew === undefined ? null : <Button onPress={onNew}>{t('new')}</Button>}
        {onEditing === undefined ? null : (
          <Button kind={isEditing ? 'plain' : 'primary'} onPress={() => onEditing(!isEditing)}>
            {t(isEditing ? 'stopEditing' : 'edit')}
          </Button>
        )}
      </div>
      {isChoosing ? (
        <ColumnsDialog
          definitions={definitions}
          shown={shown}
          onClose={() => setChoosing(false)}
          onChoose={(ids) => {
            setChoosing(false);
            onColumns(ids);
          }}
        />
      ) : null}
    </div>
  );
}
