/** The types of attributes in words. */
import type { Attribute } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

export const TYPES: readonly Attribute['type'][] = [
  'TEXT',
  'INTEGER',
  'DECIMAL',
  'BOOLEAN',
  'DATETIME',
  'OPTIONS',
  'URL',
  'SERIAL',
];

export const useTypeText = textsOf('attribute-types', {
  TEXT: { en: 'Text', de: 'Text' },
  INTEGER: { en: 'Whole number', de: 'Ganze Zahl' },
  DECIMAL: { en: 'Decimal number', de: 'Dezimalzahl' },
  BOOLEAN: { en: 'Yes or no', de: 'Ja oder nein' },
  DATETIME: { en: 'Date or time', de: 'Datum oder Zeit' },
  OPTIONS: { en: 'One of several options', de: 'Eine von mehreren Optionen' },
  URL: { en: 'Web address', de: 'Webadresse' },
  SERIAL: { en: 'Number that is given out', de: 'Fortlaufende Nummer' },
});
