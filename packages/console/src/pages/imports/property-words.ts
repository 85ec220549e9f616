/** The properties of definitions in words, as far as people meet them. */
import { textsOf } from '../../texts/texts.js';
import { TYPES, useTypeText } from '../catalog/attribute-types.js';

const useText = textsOf('property-words', {
  name: { en: 'Name', de: 'Name' },
  type: { en: 'Type', de: 'Typ' },
  textSubType: { en: 'Kind of text', de: 'Art des Textes' },
  optionsType: { en: 'Type of the options', de: 'Typ der Optionen' },
  options: { en: 'Options', de: 'Optionen' },
  validation: { en: 'Rules for values', de: 'Regeln für Werte' },
  attribute: { en: 'Attribute', de: 'Attribut' },
  mandatory: { en: 'Mandatory', de: 'Pflicht' },
  required: { en: 'Mandatory', de: 'Pflicht' },
  position: { en: 'Place in the order', de: 'Platz in der Reihenfolge' },
  order: { en: 'Place in the order', de: 'Platz in der Reihenfolge' },
  active: { en: 'Active', de: 'Aktiv' },
  tree: { en: 'Tree', de: 'Baum' },
  PRIMARY: { en: 'main tree', de: 'Hauptbaum' },
  ALTERNATE: { en: 'tree for merchandising', de: 'Baum zum Verkaufen' },
  SMALL_TEXT: { en: 'One line', de: 'Eine Zeile' },
  TEXT_AREA: { en: 'Several lines', de: 'Mehrere Zeilen' },
  HTML: { en: 'HTML', de: 'HTML' },
  yes: { en: 'yes', de: 'ja' },
  no: { en: 'no', de: 'nein' },
});

const KNOWN = [
  ...(['name', 'type', 'textSubType', 'optionsType', 'options', 'validation', 'attribute'] as const),
  ...(['mandatory', 'required', 'position', 'order', 'active', 'tree'] as const),
];

const KINDS_OF_TEXT = ['SMALL_TEXT', 'TEXT_AREA', 'HTML'] as const;

interface PropertyWords {
  /** A property that has no word has the name that it has in the API. */
  readonly name: (property: string, kind?: string) => string;
  readonly value: (property: string, value: unknown) => unknown;
}

export function usePropertyWords(): PropertyWords {
  const t = useText();
  const typeText = useTypeText();
  return {
    name: (property, kind) => {
      // A tree is no type of value.
      if (property === 'type' && kind === 'category') return t('tree');
      const known = KNOWN.find((one) => one === property);
      return known === undefined ? property : t(known);
    },
    value: (property, value) => {
      if (typeof value === 'boolean') return t(value ? 'yes' : 'no');
      if (property === 'type' && (value === 'PRIMARY' || value === 'ALTERNATE')) return t(value);
      const kind = property === 'textSubType' ? KINDS_OF_TEXT.find((one) => one === value) : undefined;
      if (kind !== undefined) return t(kind);
      const type = property === 'type' || property === 'optionsType' ? TYPES.find((one) => one === value) : undefined;
      return type === undefined ? value : typeText(type);
    },
  };
}
