/** Conditions on attributes in words, and which ones a type of values has. */
import type { Attribute } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';
import type { Condition, Operator } from './item-search.js';
import { isNumeric, type Values } from './values.js';

export const useConditionText = textsOf('conditions', {
  EQUALS: { en: 'is', de: 'ist' },
  CONTAINS: { en: 'contains', de: 'enthält' },
  IN: { en: 'is one of', de: 'ist eines von' },
  NOT_IN: { en: 'is none of', de: 'ist keines von' },
  GTE: { en: 'is at least', de: 'ist mindestens' },
  LTE: { en: 'is at most', de: 'ist höchstens' },
  RANGE: { en: 'is between', de: 'liegt zwischen' },
  EXISTS: { en: 'has a value', de: 'hat einen Wert' },
  MISSING: { en: 'has no value', de: 'hat keinen Wert' },
  and: { en: 'and', de: 'und' },
});

/** `MISSING` is EXISTS with false. */
export type Operation = Operator | 'MISSING';

const TEXT: readonly Operation[] = ['CONTAINS', 'EQUALS', 'IN', 'NOT_IN', 'EXISTS', 'MISSING'];
const ORDERED: readonly Operation[] = ['EQUALS', 'GTE', 'LTE', 'RANGE', 'IN', 'NOT_IN', 'EXISTS', 'MISSING'];
const LISTED: readonly Operation[] = ['EQUALS', 'IN', 'NOT_IN', 'EXISTS', 'MISSING'];
const BOOLEAN: readonly Operation[] = ['EQUALS', 'EXISTS', 'MISSING'];

export function operationsFor(attribute: Attribute): readonly Operation[] {
  if (attribute.type === 'BOOLEAN') return BOOLEAN;
  if (attribute.type === 'DATETIME' || isNumeric(attribute)) return ORDERED;
  if (attribute.type === 'OPTIONS') return ['EQUALS', 'IN', 'NOT_IN', 'CONTAINS', 'EXISTS', 'MISSING'];
  return attribute.type === 'URL' ? LISTED : TEXT;
}

/** `Price is at least 12.50`. */
export function inWords(
  { name, op, value, fromValue, toValue }: Condition,
  attribute: Attribute | undefined,
  values: Values,
  t: ReturnType<typeof useConditionText>,
): string {
  const show = (one: unknown) => values.show(attribute ?? { type: 'TEXT', optionsType: null }, one);
  if (op === 'EXISTS') return `${name} ${t(value === false ? 'MISSING' : 'EXISTS')}`;
  if (op === 'RANGE') return `${name} ${t('RANGE')} ${show(fromValue)} ${t('and')} ${show(toValue)}`;
  const said = Array.isArray(value) ? value.map(show).join(', ') : show(value);
  return `${name} ${t(op)} ${said}`;
}
