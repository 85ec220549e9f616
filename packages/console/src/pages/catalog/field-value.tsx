/** What an item has besides its values, in words: its categories by their paths, the contents of a bundle, its channels. */
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useCategoryPaths } from './category-paths.js';
import { useColumnText } from './columns.js';
import { numbersOf, partsOf } from './item-fields.js';

const MOST_NAMED = 8;

const useText = textsOf('field-value', {
  nodeId: { en: 'Category', de: 'Kategorie' },
  alternateCategories: { en: 'Other categories', de: 'Weitere Kategorien' },
  parentSku: { en: 'Variant of', de: 'Variante von' },
  channels: { en: 'Channels', de: 'Kanäle' },
  bundleItems: { en: 'Contents of the bundle', de: 'Inhalt des Sets' },
  status: { en: 'Status', de: 'Status' },
  type: { en: 'Type', de: 'Art' },
  createdOn: { en: 'Created', de: 'Angelegt' },
  allChannels: { en: 'all channels', de: 'alle Kanäle' },
  unknown: { en: 'a category that was deleted ({nodeId})', de: 'eine gelöschte Kategorie ({nodeId})' },
  part: { en: '{quantity} × {sku}', de: '{quantity} × {sku}' },
  more: { en: 'and {count} more', de: 'und {count} weitere' },
});

const NAMED = [
  ...(['nodeId', 'alternateCategories', 'parentSku', 'channels'] as const),
  ...(['bundleItems', 'status', 'type', 'createdOn'] as const),
];
type Named = (typeof NAMED)[number];

function isNamed(name: string): name is Named {
  return NAMED.some((one) => one === name);
}

/** What fields of the API are called in the console. */
export function useFieldName(): (name: string) => string {
  const t = useText();
  return (name) => (isNamed(name) ? t(name) : name);
}

interface FieldValueProps {
  /** As in the API. */
  readonly name: string;
  readonly value: unknown;
}

export function FieldValue({ name, value }: FieldValueProps) {
  const t = useText();
  const c = useColumnText();
  const format = useFormat();
  if (name === 'channels' && !Array.isArray(value)) return <span className="note">{t('allChannels')}</span>;
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    return <span className="note">–</span>;
  }
  if (name === 'nodeId') return <CategoryNames nodeIds={[Number(value)]} />;
  if (name === 'alternateCategories') return <CategoryNames nodeIds={numbersOf(value)} />;
  if (name === 'channels') return format.list(numbersOf(value).map(String));
  if (name === 'createdOn') return format.time(String(value));
  if (name === 'status' && (value === 'LIVE' || value === 'DRAFT')) return c(value);
  if (name === 'type' && (value === 'ITEM' || value === 'BUNDLE')) return c(value);
  if (name === 'bundleItems') {
    const parts = partsOf(value);
    return (
      <ul className="plain-list">
        {parts.slice(0, MOST_NAMED).map(({ sku, quantity }) => (
          <li key={sku}>
            <bdi>{t('part', { quantity: format.number(quantity), sku })}</bdi>
          </li>
        ))}
        <More left={parts.length - MOST_NAMED} />
      </ul>
    );
  }
  return <bdi className="text-value">{typeof value === 'string' ? value : JSON.stringify(value)}</bdi>;
}

function CategoryNames({ nodeIds }: { readonly nodeIds: readonly number[] }) {
  const t = useText();
  const shown = nodeIds.slice(0, MOST_NAMED);
  const pathOf = useCategoryPaths(shown);
  return (
    <ul className="plain-list">
      {shown.map((nodeId) => (
        <li key={nodeId}>
          <bdi>{pathOf(nodeId) ?? t('unknown', { nodeId: String(nodeId) })}</bdi>
        </li>
      ))}
      <More left={nodeIds.length - MOST_NAMED} />
    </ul>
  );
}

function More({ left }: { readonly left: number }) {
  const t = useText();
  const format = useFormat();
  return left <= 0 ? null : <li className="note">{t('more', { count: format.number(left) })}</li>;
}
