/** Chooses an item by how its SKU begins, or by a part of its title. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useApi, usePresent } from '../../session/session-context.js';
import { textsOf } from '../../texts/texts.js';
import { PickInput } from './pick-input.js';

const MOST_OFFERED = 20;

const useText = textsOf('sku-pick', {
  type: { en: 'Type a part of the SKU or of the title', de: 'Tippen Sie einen Teil der SKU oder des Titels' },
  searching: { en: 'Searching …', de: 'Es wird gesucht …' },
  none: { en: 'No item is like this', de: 'Kein Artikel ist so' },
});

interface SkuPickProps {
  readonly label: string;
  readonly placeholder: string;
  /** Undefined: of every type. */
  readonly type?: 'ITEM';
  /** What is not offered. */
  readonly without: readonly string[];
  readonly onChoose: (sku: string) => void;
}

export function SkuPick({ label, placeholder, type, without, onChoose }: SkuPickProps) {
  const t = useText();
  const api = useApi();
  const { stage } = usePresent();
  const [text, setText] = useState('');
  const typed = useDeferredValue(text.trim());
  const { data, isFetching } = useQuery({
    queryKey: ['item', stage.name, 'sku-pick', typed, type],
    enabled: typed !== '',
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const match = type === undefined ? {} : { match: { type: [type] } };
      const [begins, contains] = await Promise.all([
        api.searchItems({ body: { ...match, skuPrefix: typed, limit: MOST_OFFERED } }, { signal }),
        api.searchItems({ body: { ...match, q: typed, limit: MOST_OFFERED } }, { signal }),
      ]);
      return [...new Map([...begins.items, ...contains.items].map((item) => [item.sku, item])).values()];
    },
  });
  const fits = (one: unknown) =>
    String(one ?? '')
      .toLowerCase()
      .includes(text.trim().toLowerCase());
  const offered = (data ?? []).filter(({ sku, title }) => !without.includes(sku) && (fits(sku) || fits(title)));
  return (
    <PickInput
      label={label}
      placeholder={placeholder}
      text={text}
      offered={typed === '' ? [] : offered.map(({ sku, title }) => ({ id: sku, label: sku, note: noteOf(title) }))}
      nothing={t(text.trim() === '' ? 'type' : isFetching || typed !== text.trim() ? 'searching' : 'none')}
      onText={setText}
      onPick={(sku) => {
        setText('');
        onChoose(sku);
      }}
    />
  );
}

function noteOf(title: unknown): string | undefined {
  return typeof title === 'string' && title !== '' ? title.slice(0, 80) : undefined;
}
