/** The values of an item, by group and in the order of the attributes. */
import type { Attribute, schemas } from '@longshore/client';
import { useState } from 'react';
import { Button } from '../../components/button.js';
import { Badge, Section } from '../../components/content.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useDrafts } from './drafts.js';
import { ImageLink, isWebAddress } from './image-link.js';
import { useCategoryAttributes } from './item-facts.js';
import { draftName } from './item-fields.js';
import type { Definitions } from './use-attributes.js';
import { isEditable, ValueField } from './value-field.js';
import { useValues, type Values } from './values.js';

const LONGEST = 2_000;
/** A field with more would make typing slow. */
const MOST_TYPED = 100_000;

const useText = textsOf('item-values', {
  mandatory: { en: 'Mandatory', de: 'Pflicht' },
  assigned: { en: 'Attributes of the category', de: 'Attribute der Kategorie' },
  others: { en: 'Other values', de: 'Weitere Werte' },
  othersNote: {
    en: 'Their attributes are no longer assigned to the category: such a value can only be cleared.',
    de: 'Ihre Attribute sind der Kategorie nicht mehr zugeordnet: Ein solcher Wert kann nur noch geleert werden.',
  },
  none: { en: 'No values', de: 'Keine Werte' },
  inherited: { en: 'from the parent', de: 'vom Elternartikel' },
  all: { en: 'Show all ({size})', de: 'Alles zeigen ({size})' },
  empty: { en: 'no value', de: 'kein Wert' },
});

interface ItemValuesProps {
  readonly item: schemas.ListedItem;
  readonly definitions: Definitions;
  readonly isEditing: boolean;
}

export function ItemValues({ item, definitions, isEditing }: ItemValuesProps) {
  const t = useText();
  const { drafts } = useDrafts();
  // Who moves it types at once what the other category asks for.
  const moved = drafts[item.sku]?.[draftName('nodeId')]?.value;
  const { data: assigned = [] } = useCategoryAttributes(isEditing && typeof moved === 'number' ? moved : item.nodeId);
  const mandatory = new Set(assigned.filter(({ required }) => required).map(({ name }) => name));
  const known = new Set(assigned.map(({ name }) => name));
  const ordered = definitions.attributes.filter(({ name }) => name !== definitions.roles.sku);
  const groups = [
    { id: 'mandatory', attributes: ordered.filter(({ name }) => mandatory.has(name)) },
    { id: 'assigned', attributes: ordered.filter(({ name }) => known.has(name) && !mandatory.has(name)) },
    { id: 'others', attributes: ordered.filter(({ name }) => !known.has(name) && name in item.attributes) },
  ] as const;
  return groups.map(({ id, attributes }) =>
    attributes.length === 0 ? null : (
      <Section key={id} title={t(id)} {...(id === 'others' && assigned.length > 0 ? { note: t('othersNote') } : {})}>
        <dl className="item-values">
          {attributes.map((attribute) => (
            <ItemValue key={attribute.id} item={item} attribute={attribute} isEditing={isEditing} />
          ))}
        </dl>
      </Section>
    ),
  );
}

interface ItemValueProps {
  readonly item: schemas.ListedItem;
  readonly attribute: Attribute;
  readonly isEditing: boolean;
}

function ItemValue({ item, attribute, isEditing }: ItemValueProps) {
  const t = useText();
  const values = useValues();
  const { drafts, set } = useDrafts();
  const { name } = attribute;
  const value = item.attributes[name];
  const isInherited = item.inherited?.includes(name) === true;
  const isTyped = isEditing && isEditable(attribute, String(value ?? '').length > MOST_TYPED);
  return (
    <div className="item-value">
      <dt>
        <bdi>{name}</bdi> {isInherited ? <Badge tone="neutral">{t('inherited')}</Badge> : null}
      </dt>
      <dd>
        {isTyped ? (
          <ValueField
            sku={item.sku}
            attribute={attribute}
            value={value}
            draft={drafts[item.sku]?.[name]}
            values={values}
            isRoomy
            onChange={(draft) => set(item.sku, name, draft)}
          />
        ) : (
          <ShownValue attribute={attribute} value={value} values={values} />
        )}
      </dd>
    </div>
  );
}

interface ShownValueProps {
  readonly attribute: Attribute;
  readonly value: unknown;
  readonly values: Values;
}

/** A browser finds the lines of a part only when that is scrolled to: of a megabyte it would take a second. */
const PART = 10_000;

/** Where a line ends, if one does. */
function partsOf(text: string): { readonly at: number; readonly part: string }[] {
  const parts: { at: number; part: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const lineEnd = text.lastIndexOf('\n', at + PART);
    const end = lineEnd > at ? lineEnd + 1 : at + PART;
    parts.push({ at, part: text.slice(at, end) });
    at = end;
  }
  return parts;
}

/** Whatever it contains, it is shown as text; of a very long one, the beginning. */
function ShownValue({ attribute, value, values }: ShownValueProps) {
  const t = useText();
  const format = useFormat();
  const [isWhole, setWhole] = useState(false);
  const text = values.show(attribute, value);
  if (text === '') return <span className="no-value">{t('empty')}</span>;
  if (attribute.type === 'URL' && isWebAddress(text)) return <ImageLink value={text} />;
  if (text.length <= LONGEST) {
    return (
      <div className="long-text" dir="auto">
        {text}
      </div>
    );
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <div className="long-text" dir="auto" tabIndex={0}>
        {isWhole
          ? partsOf(text).map(({ at, part }) => (
              <div key={at} className="text-part">
                {part}
              </div>
            ))
          : `${text.slice(0, LONGEST)}…`}
      </div>
      {isWhole ? null : (
        <Button kind="quiet" onPress={() => setWhole(true)}>
          {t('all', { size: format.bytes(text.length) })}
        </Button>
      )}
    </>
  );
}
