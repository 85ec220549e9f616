/** What an attribute is: its type, its rules, and the names it may not have. */
import { attributeKey } from '../../kernel/attribute-key.js';

/** The order is that of lists of choices and of the documentation. */
export const ATTRIBUTE_TYPE_NAMES = [
  'TEXT',
  'INTEGER',
  'DECIMAL',
  'BOOLEAN',
  'DATETIME',
  'SERIAL',
  'OPTIONS',
  'URL',
] as const;
export type AttributeTypeName = (typeof ATTRIBUTE_TYPE_NAMES)[number];

export const TEXT_SUB_TYPES = ['SMALL_TEXT', 'TEXT_AREA', 'HTML'] as const;
export type TextSubType = (typeof TEXT_SUB_TYPES)[number];

export const OPTIONS_TYPES = ['TEXT', 'INTEGER', 'DECIMAL'] as const;
export type OptionsType = (typeof OPTIONS_TYPES)[number];

export const ATTRIBUTE_MAPPINGS = ['sku', 'title', 'image', 'active', 'isVariant'] as const;
export type AttributeMapping = (typeof ATTRIBUTE_MAPPINGS)[number];

export const MAX_NAME_CHARACTERS = 255;
/** The most options, or only allowed values, of an attribute. */
export const MAX_OPTIONS = 10_000;

/** The rules that a value must satisfy. A flag that is absent is false. */
export interface AttributeValidation {
  required?: boolean | undefined;
  unique?: boolean | undefined;
  inheritable?: boolean | undefined;
  /** TEXT: the value contains this text, in the same case. */
  contains?: string | undefined;
  /** TEXT: the value begins with this text. */
  startWith?: string | undefined;
  /** SERIAL: the step between two numbers; 1 when absent. */
  incrementBy?: number | undefined;
  /** INTEGER: numbers. DECIMAL: numbers, or exact decimals as text. DATETIME: ISO 8601. Both limits are included. */
  range?: { min?: number | string | undefined; max?: number | string | undefined } | undefined;
  /** TEXT, INTEGER, DECIMAL, DATETIME: the only values allowed, as text in their canonical form. */
  oneOf?: string[] | undefined;
  /** TEXT: an RE2 expression that the value, or a part of it, must match. Anchor it to match the whole value. */
  pattern?: string | undefined;
  /** TEXT: the most characters (Unicode code points) that a value may have. */
  maxLength?: number | undefined;
}

export interface AttributeLocale {
  locale: string;
  name: string;
}

/** One attribute of a site. Fields that do not belong to its type are absent. */
export interface AttributeDefinition {
  id: string;
  /** Trimmed and in NFC; its case is kept. */
  name: string;
  type: AttributeTypeName;
  /** The order among the site's attributes, which templates and exports follow. */
  position: number;
  description?: string | undefined;
  /** TEXT only; SMALL_TEXT when absent. */
  textSubType?: TextSubType | undefined;
  /** OPTIONS only: what its options are; TEXT when absent. Values are always stored as text. */
  optionsType?: OptionsType | undefined;
  /** OPTIONS only: the allowed values in order, in canonical form. An item holds one of them. */
  options?: string[] | undefined;
  /** SERIAL only: the first number; 1 when absent. */
  serialStart?: number | undefined;
  /** DATETIME only: how files write the date, such as `dd.MM.yyyy HH:mm`. ISO 8601 when absent. */
  format?: string | undefined;
  locales?: AttributeLocale[] | undefined;
  validation: AttributeValidation;
}

/** Column names of item files, which no attribute may have. */
export const RESERVED_NAMES = [
  'SKU',
  'Category Node',
  'Hierarchy Node',
  'Parent SKU',
  'Items',
  'Alternate Categories',
  'Channels',
] as const;

const RESERVED_KEYS: ReadonlySet<string> = new Set(RESERVED_NAMES.map(attributeKey));

/** Whether a name is one of the fixed columns, ignoring case and space. */
export function isReservedName(name: string): boolean {
  return RESERVED_KEYS.has(attributeKey(name));
}
