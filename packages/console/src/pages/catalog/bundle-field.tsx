/** What a bundle contains: items with how many of each there are. */
import { useState } from 'react';
import { Icon } from '../../components/icon.js';
import { textsOf } from '../../texts/texts.js';
import type { Part } from './item-fields.js';
import { SkuPick } from './sku-pick.js';

const MOST_PARTS = 1_000;
const MOST_OF_ONE = 1_000_000;

const useText = textsOf('bundle-field', {
  none: { en: 'A bundle without items is a draft.', de: 'Ein Set ohne Artikel ist ein Entwurf.' },
  parts: { en: 'Contents of the bundle', de: 'Inhalt des Sets' },
  quantity: { en: 'How many of {sku}', de: 'Wie viele von {sku}' },
  remove: { en: 'Take out: {sku}', de: 'Herausnehmen: {sku}' },
  add: { en: 'Add an item', de: 'Artikel hinzufügen' },
  addHelp: { en: 'SKU, or a part of the title', de: 'SKU oder ein Teil des Titels' },
  full: { en: 'A bundle has at most {count} items.', de: 'Ein Set hat höchstens {count} Artikel.' },
});

interface BundleFieldProps {
  readonly sku: string;
  readonly parts: readonly Part[];
  readonly onChange: (parts: readonly Part[]) => void;
}

export function BundleField({ sku, parts, onChange }: BundleFieldProps) {
  const t = useText();
  return (
    <>
      {parts.length === 0 ? (
        <p className="note">{t('none')}</p>
      ) : (
        <ul className="bundle-parts" aria-label={t('parts')}>
          {parts.map((part, index) => (
            <li key={part.sku}>
              <Quantity part={part} onChange={(quantity) => onChange(parts.with(index, { sku: part.sku, quantity }))} />
              <span aria-hidden="true">×</span>
              <bdi>{part.sku}</bdi>
              <button
                type="button"
                className="chip-remove"
                aria-label={t('remove', { sku: part.sku })}
                onClick={() => onChange(parts.filter((one) => one !== part))}
              >
                <Icon name="cross" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {parts.length >= MOST_PARTS ? (
        <p className="note">{t('full', { count: MOST_PARTS })}</p>
      ) : (
        <SkuPick
          label={t('add')}
          placeholder={t('addHelp')}
          without={[sku, ...parts.map((part) => part.sku)]}
          onChoose={(added) => onChange([...parts, { sku: added, quantity: 1 }])}
        />
      )}
    </>
  );
}

interface QuantityProps {
  readonly part: Part;
  readonly onChange: (quantity: number) => void;
}

function Quantity({ part: { sku, quantity }, onChange }: QuantityProps) {
  const t = useText();
  /** What is typed, as long as it is typed: on the way to another number the field may be empty. */
  const [text, setText] = useState<string>();
  const isRight = text === undefined || isQuantity(text);
  return (
    <input
      type="text"
      inputMode="numeric"
      className={isRight ? 'cell bundle-quantity' : 'cell wrong bundle-quantity'}
      aria-label={t('quantity', { sku })}
      data-column="bundleItems"
      value={text ?? String(quantity)}
      {...(isRight ? {} : { 'aria-invalid': true })}
      onBlur={() => setText(undefined)}
      onChange={({ target }) => {
        setText(target.value);
        if (isQuantity(target.value)) onChange(Number(target.value));
      }}
    />
  );
}

function isQuantity(text: string): boolean {
  return /^\d{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_OF_ONE;
}
