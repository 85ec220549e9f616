/** Describes the attribute that a column would become, because the catalog has none for it. */
import type { AttributeElement } from '../../catalog/attributes/attribute-input.js';
import { checkAttributeName } from '../../catalog/attributes/check-attribute-name.js';
import type { AttributeTypeName, TextSubType } from '../../catalog/model/attribute-definition.js';
import type { Column } from '../../inspection/model/column.js';
import { attributeKey } from '../../kernel/attribute-key.js';
import type { NamedColumn } from '../match/candidates.js';
import type { Concept } from '../match/dictionary.js';
import type { Verdict } from '../model/proposal.js';
import { hasUnreadable, isReadAsItIs, usableFormats } from './date-formats.js';
import { mayBeOption } from './emptied-words.js';
import { CODES, isCode, isFlag, isMoney } from './what-names-say.js';

const MAX_OPTIONS = 100;
const MAX_OPTION_CHARACTERS = 60;
/** Each option occurs so often on average; in a small file less. */
const LEAST_REPEATED = 5;
const LEAST_REPEATED_IN_SMALL = 3;
const SMALL_FILE = 50;
/** A longer text has several lines in a form. */
const MAX_LINE = 255;
const MAX_URL = 2_048;
const MAX_NAME = 255;

/** Measures and amounts have fractions sooner or later, even if those of this file have none. */
const MEASURES: ReadonlySet<Concept> = new Set([
  ...(['price', 'listPrice', 'cost', 'weight', 'length', 'width', 'height', 'depth'] as const),
]);
/** Every item has its own text there, even if these of this file repeat. */
const PROSE: ReadonlySet<Concept> = new Set([
  ...(['name', 'shortDescription', 'description', 'seoTitle', 'seoDescription'] as const),
  ...(['keywords', 'note', 'image', 'link', 'sku', 'ean', 'mpn'] as const),
]);

export interface NewAttribute {
  readonly element: AttributeElement & { readonly name: string; readonly type: AttributeTypeName };
  readonly verdict: Verdict;
  readonly reason: string;
}

/** @param name that no attribute has */
export function newAttribute(named: NamedColumn, name: string): NewAttribute {
  const { column, concept } = named;
  const { type, fields = {}, isJudgement = false } = formOf(named);
  const isUnique = column.isUnique && column.filled > 1 && concept !== null && CODES.has(concept);
  const validation = isUnique && type !== 'OPTIONS' ? { validation: { unique: true } } : {};
  const { verdict } = column.type;
  return {
    element: { name, type, ...fields, ...validation },
    verdict: isJudgement && verdict === 'certain' ? 'likely' : verdict,
    reason: `The catalog has nothing like it: it becomes a new attribute of the type ${type}. ${column.type.reason}`,
  };
}

interface Form {
  readonly type: AttributeTypeName;
  readonly fields?: { options?: string[]; textSubType?: TextSubType };
  /** Whether the values do not decide it. */
  readonly isJudgement?: boolean;
}

const LINE: Form = { type: 'TEXT', fields: { textSubType: 'SMALL_TEXT' } };

function formOf(named: NamedColumn): Form {
  const { column, concept } = named;
  const { number } = column;
  switch (column.type.value) {
    case 'integer': {
      if (isCode(named)) return { ...LINE, isJudgement: true };
      if (isFlag(named)) return { type: 'BOOLEAN', isJudgement: true };
      const hasUnit = (number?.units.length ?? 0) + (number?.currency.length ?? 0) > 0;
      const isMeasure = hasUnit || (concept !== null && MEASURES.has(concept)) || isMoney(column.name);
      return isMeasure ? { type: 'DECIMAL', isJudgement: true } : { type: 'INTEGER' };
    }
    case 'decimal':
      return isCode(named) || concept === 'category' ? { ...LINE, isJudgement: true } : { type: 'DECIMAL' };
    case 'boolean':
      return { type: 'BOOLEAN' };
    case 'date':
    case 'datetime':
      return usableFormats(column).length > 0 || isReadAsItIs(column)
        ? { type: 'DATETIME', isJudgement: hasUnreadable(column) }
        : { ...LINE, isJudgement: true };
    case 'url': {
      const { words = [] } = named.note?.nothing ?? {};
      const areAddresses = column.examples.every((example) => isWebAddress(example) || words.includes(example));
      const isAddress = column.list === null && column.longest <= MAX_URL && areAddresses;
      return isAddress ? { type: 'URL' } : { type: 'TEXT', fields: { textSubType: 'TEXT_AREA' }, isJudgement: true };
    }
    case 'html':
      return { type: 'TEXT', fields: { textSubType: 'HTML' } };
    default: {
      const options = optionsOf(named);
      if (options !== null) return { type: 'OPTIONS', fields: { options }, isJudgement: true };
      const isLong = column.longest > MAX_LINE || concept === 'description';
      return isLong ? { type: 'TEXT', fields: { textSubType: 'TEXT_AREA' } } : LINE;
    }
  }
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s"'\\<>]+$/i.test(text);
}

/** The values, if they are few and repeat; null: it is no list of options. */
function optionsOf(named: NamedColumn): string[] | null {
  const { column, concept, values } = named;
  if (values === null || column.list !== null || column.path !== null) return null;
  if (concept !== null && PROSE.has(concept)) return null;
  const options = values.filter((value) => mayBeOption(named, value));
  const repeated = column.filled < SMALL_FILE ? LEAST_REPEATED_IN_SMALL : LEAST_REPEATED;
  const isList =
    options.length >= 2 &&
    options.length <= MAX_OPTIONS &&
    column.filled >= options.length * repeated &&
    options.every((option) => option.length <= MAX_OPTION_CHARACTERS && !option.includes('\n'));
  return isList ? options : null;
}

/** A legal name for the attribute of a column, which none of the `taken` has. It is added to them. */
export function freeName({ name }: Pick<Column, 'name'>, taken: Set<string>): string {
  const plain = name
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/^[_\s]+/, '')
    .trim();
  const base = plain === '' ? 'Column' : [...plain].slice(0, MAX_NAME - 10).join('');
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? base : `${base} (${number})`;
    const key = attributeKey(free);
    if (taken.has(key) || typeof checkAttributeName(free) !== 'string') continue;
    taken.add(key);
    return free;
  }
}
