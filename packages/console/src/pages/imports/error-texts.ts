/** What the most frequent codes of rows mean, in words of the people who own the file. */
import { textsOf } from '../../texts/texts.js';

export const useErrorText = textsOf('row-errors', {
  PROFILE_STEP_FAILED: { en: 'The value cannot be read', de: 'Der Wert kann nicht gelesen werden' },
  ROW_CONTINUES_NONE: {
    en: 'The row continues one that is not above it',
    de: 'Die Zeile setzt eine fort, die nicht darüber steht',
  },
  VALUE_TYPE: { en: 'The value is of the wrong kind', de: 'Der Wert ist von der falschen Art' },
  VALUE_NOT_IN_OPTIONS: { en: 'The value is not in the list', de: 'Der Wert steht nicht in der Liste' },
  VALUE_RANGE: { en: 'The value is outside of what is allowed', de: 'Der Wert liegt außerhalb des Erlaubten' },
  ATTRIBUTE_REQUIRED: { en: 'A value is missing', de: 'Ein Wert fehlt' },
  VALUE_NOT_UNIQUE: { en: 'Another item has this value', de: 'Ein anderer Artikel hat diesen Wert' },
  VALUE_PATTERN: {
    en: 'The value does not have the form that is asked for',
    de: 'Der Wert hat nicht die verlangte Form',
  },
  VALUE_TOO_LONG: { en: 'The value is too long', de: 'Der Wert ist zu lang' },
  SKU_REQUIRED: { en: 'The key is missing', de: 'Der Schlüssel fehlt' },
  SKU_DUPLICATE_IN_REQUEST: { en: 'The key is in the file twice', de: 'Der Schlüssel steht zweimal in der Datei' },
  SKU_EXISTS: { en: 'There is such an item already', de: 'Diesen Artikel gibt es schon' },
  SKU_NOT_FOUND: { en: 'There is no such item', de: 'Diesen Artikel gibt es nicht' },
  PARENT_NOT_FOUND: { en: 'The parent is not in the catalog', de: 'Der Hauptartikel ist nicht im Katalog' },
  NODE_NOT_FOUND: { en: 'There is no such category', de: 'Diese Kategorie gibt es nicht' },
  NODE_NOT_LEAF: { en: 'The category has categories below it', de: 'Die Kategorie hat Unterkategorien' },
  ATTRIBUTE_NOT_ASSIGNED: {
    en: 'The category does not have this attribute',
    de: 'Die Kategorie hat dieses Attribut nicht',
  },
  CHANGED_SINCE: { en: 'The item was changed again since', de: 'Der Artikel wurde seitdem wieder geändert' },
  CHANGED_SINCE_PREVIEW: {
    en: 'The item was changed since the preview',
    de: 'Der Artikel wurde seit der Vorschau geändert',
  },
  ROW_SUPERSEDED: { en: 'The item was changed later', de: 'Der Artikel wurde später geändert' },
  other: { en: 'The row was refused', de: 'Die Zeile wurde abgelehnt' },
});

const KNOWN = [
  'PROFILE_STEP_FAILED',
  'ROW_CONTINUES_NONE',
  'VALUE_TYPE',
  'VALUE_NOT_IN_OPTIONS',
  'VALUE_RANGE',
  'ATTRIBUTE_REQUIRED',
  'VALUE_NOT_UNIQUE',
  'VALUE_PATTERN',
  'VALUE_TOO_LONG',
  'SKU_REQUIRED',
  'SKU_DUPLICATE_IN_REQUEST',
  'SKU_EXISTS',
  'SKU_NOT_FOUND',
  'PARENT_NOT_FOUND',
  'NODE_NOT_FOUND',
  'NODE_NOT_LEAF',
  'ATTRIBUTE_NOT_ASSIGNED',
  'CHANGED_SINCE',
  'CHANGED_SINCE_PREVIEW',
  'ROW_SUPERSEDED',
] as const;

/** The key of the text for a code. */
export function meaningOf(code: string): (typeof KNOWN)[number] | 'other' {
  return KNOWN.find((known) => known === code) ?? 'other';
}
