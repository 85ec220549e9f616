/**
 * Recognises objects that stand beside others of their kind and differ in one of their values: a feature has its
 * name, a text its language.
 */
import { isJsonObject, XmlElement } from './nested-value.js';

/** What tells an object from its brothers. */
interface ObjectKey {
  /** The name of the child or attribute. */
  readonly name: string;
  /** Whether two brothers with the same value show that it does not tell them apart: one has a price for each currency. */
  readonly isDistinct: boolean;
}

/** The names of names, the most telling first. Prefixes and signs do not count. */
const NAMES = [
  ...['name', 'fname', 'key', 'code', 'attributename', 'attributecode', 'attribute', 'featurename', 'featurecode'],
  ...['etimfeaturecode', 'feature', 'propertyname', 'propertyid', 'property', 'fieldname', 'field', 'label'],
  ...['optionname', 'paramname', 'characteristic', 'merkmal', 'attributeid', 'featureid', 'id'],
];
const VALUES = new Set([
  ...['value', 'fvalue', 'values', 'val', 'wert', 'attributevalue', 'featurevalue', 'propertyvalue', 'fieldvalue'],
  ...['optionvalue', 'paramvalue', 'options', 'etimvaluecode', 'numericvalue', 'logicalvalue', 'rangelower'],
]);
const LANGUAGE = /^(?:\w*lang(?:uage)?(?:code)?|locale)$/;
/** Attributes that tell elements with a text from each other. */
const KINDS = new Set(['type', 'channel', 'scope', 'currency']);
const MOST_MEMBERS = 16;
const MAX_KEY_CHARACTERS = 100;

/** The key of an object, judged by the names of its members; null: it has none. */
export function keyOfObject(value: unknown): ObjectKey | null {
  const scalars = scalarNames(value);
  if (scalars === null) return null;
  const byName = new Map(scalars.map((name) => [plain(name), name]));
  const hasText = value instanceof XmlElement && value.text !== '';
  if (hasText || memberNames(value).some((name) => VALUES.has(plain(name)))) {
    for (const wanted of NAMES) {
      const name = byName.get(wanted);
      // The text of an element is no value beside a child that is called `name`.
      if (name !== undefined && (!hasText || name.startsWith('@'))) return { name, isDistinct: false };
    }
  }
  const language = scalars.find((name) => LANGUAGE.test(plain(name)));
  if (language !== undefined) return { name: language, isDistinct: true };
  const kind = hasText ? scalars.find((name) => KINDS.has(plain(name))) : undefined;
  return kind === undefined ? null : { name: kind, isDistinct: true };
}

/** The value by which an object is selected; null: it has none that could be. */
export function keyValue(value: unknown, name: string): string | null {
  const found = memberOf(value, name);
  const text = typeof found === 'number' ? String(found) : found;
  return typeof text === 'string' && text !== '' && text.length <= MAX_KEY_CHARACTERS ? text : null;
}

/** The first member of a name. */
export function memberOf(value: unknown, name: string): unknown {
  if (value instanceof XmlElement) {
    const found = value.values[value.names.indexOf(name)];
    return found instanceof XmlElement ? found.text : found;
  }
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function memberNames(value: unknown): readonly string[] {
  if (value instanceof XmlElement) return value.names;
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** The members that are texts or numbers; null for what has none, or very many members. */
function scalarNames(value: unknown): string[] | null {
  const names = memberNames(value);
  if (names.length === 0 || names.length > MOST_MEMBERS) return null;
  return names.filter((name) => keyValue(value, name) !== null);
}

/** A name without prefix, `@`, case and signs. */
function plain(name: string): string {
  return name
    .slice(name.indexOf(':') + 1)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}
