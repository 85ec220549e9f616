/** The rules of attributes as they are typed, and as they are sent. */
import type { Attribute, InputOf, schemas } from '@longshore/client';
import type { Values } from './values.js';

const LIMITS = ['maxLength', 'startWith', 'contains', 'pattern', 'min', 'max'] as const;
export type Limit = (typeof LIMITS)[number];
/** As they are typed; empty: there is none. */
export type Limits = Readonly<Record<Limit, string>>;
export type Role = schemas.AttributeMapping['mapping'];
export type OptionsType = 'TEXT' | 'INTEGER' | 'DECIMAL';

type Validation = NonNullable<InputOf<'createAttributes'>['body'][number]['validation']>;

const OF_TEXTS: readonly Limit[] = ['maxLength', 'startWith', 'contains', 'pattern'];
const OF_RANGES: readonly Limit[] = ['min', 'max'];
const RANGED: readonly Attribute['type'][] = ['INTEGER', 'DECIMAL', 'DATETIME'];

export function limitsOf(type: Attribute['type']): readonly Limit[] {
  return type === 'TEXT' ? OF_TEXTS : RANGED.includes(type) ? OF_RANGES : [];
}

const ROLES: Readonly<Partial<Record<Attribute['type'], readonly Role[]>>> = {
  TEXT: ['title', 'sku', 'image'],
  URL: ['image'],
  BOOLEAN: ['active', 'isVariant'],
};

export function rolesOf(type: Attribute['type']): readonly Role[] {
  return ROLES[type] ?? [];
}

/** What the fields begin with. */
export function typedLimits(type: Attribute['type'], validation: Attribute['validation'], values: Values): Limits {
  const range = (validation.range ?? {}) as { readonly min?: unknown; readonly max?: unknown };
  const text = (value: unknown) => (value === undefined || value === null ? '' : String(value));
  const end = (value: unknown) => (type === 'DATETIME' ? text(value) : values.edit({ type, optionsType: null }, value));
  return {
    maxLength: text(validation.maxLength),
    startWith: text(validation.startWith),
    contains: text(validation.contains),
    pattern: text(validation.pattern),
    min: end(range.min),
    max: end(range.max),
  };
}

/** Whether what is typed is not the number that it has to be. */
export function isNoNumber(type: Attribute['type'], limit: Limit, text: string, values: Values): boolean {
  if (text.trim() === '') return false;
  if (limit === 'maxLength') return !/^\d{1,6}$/.test(text.trim());
  if (limit !== 'min' && limit !== 'max') return false;
  return type !== 'DATETIME' && values.parse({ type, optionsType: null }, text) === undefined;
}

/** What is sent: of a type that has no such rule there is none any more. */
export function sentLimits(
  type: Attribute['type'],
  limits: Limits,
  former: Attribute['validation'],
  values: Values,
): Validation {
  const has = limitsOf(type);
  const sent: Record<string, unknown> = {};
  for (const limit of OF_TEXTS) {
    const text = has.includes(limit) ? limits[limit] : '';
    if (text.trim() !== '') sent[limit] = limit === 'maxLength' ? Number(text) : text;
    else if (former[limit] !== undefined) sent[limit] = null;
  }
  const end = (text: string) => {
    if (text.trim() === '') return null;
    return type === 'DATETIME' ? text.trim() : values.parse({ type, optionsType: null }, text)?.value;
  };
  const [min, max] = has.includes('min') ? [end(limits.min), end(limits.max)] : [null, null];
  if (min !== null || max !== null) sent.range = { min, max };
  else if (former.range !== undefined) sent.range = null;
  return sent as Validation;
}
