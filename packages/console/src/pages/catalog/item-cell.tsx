/** A cell of the table of items: the value as its type is read, and always as text. */
import { Badge } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { pathInWords } from './category-pick.js';
import { type Field, type ItemColumn, useColumnText } from './columns.js';
import type { FoundItem } from './item-window.js';
import type { Values } from './values.js';

/** Longer texts have no room in a cell. */
const LONGEST = 200;

const useText = textsOf('item-cell', {
  inherited: { en: 'from the parent', de: 'vom Elternartikel' },
});

interface ItemCellProps {
  readonly item: FoundItem;
  readonly column: ItemColumn;
  readonly values: Values;
}

export function ItemCell({ item, column, values }: ItemCellProps) {
  const t = useText();
  if (column.attribute === undefined) return <FieldCell item={item} field={column.id as Field} />;
  const value = item.attributes[column.id];
  const isInherited = item.inherited?.includes(column.id) === true;
  const text = values.show(column.attribute, value);
  if (text === '') return <span className="no-value">–</span>;
  return (
    <bdi className={isInherited ? 'inherited' : ''} title={isInherited ? t('inherited') : undefined}>
      {shortened(text, item.cut?.includes(column.id))}
    </bdi>
  );
}

function FieldCell({ item, field }: { readonly item: FoundItem; readonly field: Field }) {
  const t = useColumnText();
  const format = useFormat();
  switch (field) {
    case '@status':
      return <Badge tone={item.status === 'LIVE' ? 'good' : 'neutral'}>{t(item.status)}</Badge>;
    case '@type':
      return t(item.type);
    case '@category':
      return <bdi title={item.nodeName ?? ''}>{item.nodeName === null ? '–' : pathInWords(item.nodeName)}</bdi>;
    case '@changed':
      return format.time(item.modifiedOn);
  }
}

function shortened(text: string, isCut = false): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : isCut ? `${text}…` : text;
}
