/** Which items are meant: the search, the filters of exports, and the conditions, each of which can be taken away. */
import type { Attribute } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { ChoiceInput } from '../../components/choice-input.js';
import { Icon } from '../../components/icon.js';
import { later, useLater } from '../../components/later.js';
import { TextInput } from '../../components/text-input.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { CategoryPick, pathOf, useCategory } from './category-pick.js';
import { useColumnText } from './columns.js';
import { inWords, useConditionText } from './condition-text.js';
import { type ItemFilter, isDay, isNarrowed } from './item-search.js';
import { useValues } from './values.js';

/** The page is shown without it. */
const dialog = later(() => import('./condition-dialog.js'));

const useText = textsOf('item-filters', {
  status: { en: 'Status', de: 'Status' },
  type: { en: 'Type', de: 'Art' },
  category: { en: 'Category', de: 'Kategorie' },
  anyCategory: { en: 'All', de: 'Alle' },
  all: { en: 'All', de: 'Alle' },
  changed: { en: 'Changed since', de: 'Geändert seit' },
  changedSince: { en: 'changed since {day}', de: 'geändert seit {day}' },
  add: { en: 'Add a condition', de: 'Bedingung hinzufügen' },
  remove: { en: 'Remove: {what}', de: 'Entfernen: {what}' },
  begins: { en: 'SKU begins with {text}', de: 'SKU beginnt mit {text}' },
  contains: { en: 'contains {text}', de: 'enthält {text}' },
  within: { en: 'in {category}', de: 'in {category}' },
  clear: { en: 'Show all items', de: 'Alle Artikel zeigen' },
  meant: { en: 'These conditions apply', de: 'Diese Bedingungen gelten' },
});

interface ItemFiltersProps {
  readonly filter: ItemFilter;
  readonly attributes: readonly Attribute[];
  /** Where the type is chosen elsewhere. */
  readonly hidesType?: boolean;
  readonly onChange: (filter: ItemFilter) => void;
}

export function ItemFilters({ filter, attributes, hidesType = false, onChange }: ItemFiltersProps) {
  const t = useText();
  const c = useColumnText();
  const [isAdding, setAdding] = useState(false);
  const loaded = useLater(dialog);
  const { status, type, changed, where = [] } = filter;
  const { status: _, ...anyStatus } = filter;
  const { type: __, ...anyType } = filter;
  const { changed: ___, ...anyDay } = filter;
  return (
    <>
      <div className="filters">
        <ChoiceInput
          label={t('status')}
          value={status ?? 'ALL'}
          choices={[
            { id: 'ALL', label: t('all') },
            ...(['LIVE', 'DRAFT'] as const).map((id) => ({ id, label: c(id) })),
          ]}
          onChange={(next) => onChange(next === 'ALL' ? anyStatus : { ...filter, status: next as 'LIVE' })}
        />
        {hidesType ? null : (
          <ChoiceInput
            label={t('type')}
            value={type ?? 'ALL'}
            choices={[
              { id: 'ALL', label: t('all') },
              ...(['ITEM', 'BUNDLE'] as const).map((id) => ({ id, label: c(id) })),
            ]}
            onChange={(next) => onChange(next === 'ALL' ? anyType : { ...filter, type: next as 'ITEM' })}
          />
        )}
        <CategoryPick
          label={t('category')}
          placeholder={t('anyCategory')}
          onChoose={({ nodeId }) => onChange({ ...filter, in: nodeId })}
        />
        <TextInput
          label={t('changed')}
          type="date"
          value={changed ?? ''}
          onChange={(day) => onChange(isDay(day) ? { ...filter, changed: day } : anyDay)}
        />
        <Button onPress={() => setAdding(true)}>{t('add')}</Button>
      </div>
      {isNarrowed(filter) ? <Chips filter={filter} attributes={attributes} onChange={onChange} /> : null}
      {isAdding && loaded !== undefined ? (
        <loaded.ConditionDialog
          attributes={attributes}
          onClose={() => setAdding(false)}
          onAdd={(condition) => {
            setAdding(false);
            onChange({ ...filter, where: [...where, condition] });
          }}
        />
      ) : null}
    </>
  );
}

function Chips({ filter, attributes, onChange }: ItemFiltersProps) {
  const t = useText();
  const c = useColumnText();
  const words = useConditionText();
  const values = useValues();
  const category = useCategory(filter.in);
  const { q, sku, status, type, in: within, changed, where = [], ...others } = filter;
  const format = useFormat();
  const without = (key: keyof ItemFilter) => {
    const { [key]: _, ...left } = filter;
    return left;
  };
  const path = category === undefined ? String(within) : pathOf(category);
  const chips: { readonly text: string; readonly left: ItemFilter }[] = [
    ...(q === undefined ? [] : [{ text: t('contains', { text: q }), left: without('q') }]),
    ...(sku === undefined ? [] : [{ text: t('begins', { text: sku }), left: without('sku') }]),
    ...(status === undefined ? [] : [{ text: c(status), left: without('status') }]),
    ...(type === undefined ? [] : [{ text: c(type), left: without('type') }]),
    ...(within === undefined ? [] : [{ text: t('within', { category: path }), left: without('in') }]),
    ...(changed === undefined
      ? []
      : [{ text: t('changedSince', { day: format.day(changed) }), left: without('changed') }]),
    ...where.map((condition, index) => {
      const attribute = attributes.find(({ name }) => name === condition.name);
      const fewer = where.filter((_, other) => other !== index);
      const left = fewer.length === 0 ? without('where') : { ...filter, where: fewer };
      return { text: inWords(condition, attribute, values, words), left };
    }),
  ];
  return (
    <ul className="chips" aria-label={t('meant')}>
      {chips.map(({ text, left }) => (
        <li key={text} className="chip">
          <bdi className="chip-text">{text}</bdi>
          <button
            type="button"
            className="chip-remove"
            aria-label={t('remove', { what: text })}
            onClick={() => onChange(left)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
      <li>
        <Button kind="quiet" onPress={() => onChange(others)}>
          {t('clear')}
        </Button>
      </li>
    </ul>
  );
}
