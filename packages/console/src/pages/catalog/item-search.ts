/** What the table of items shows, as it stands in its address: a link shows somebody else the same. */
import type { schemas } from '@longshore/client';

const OPERATORS = ['EQUALS', 'IN', 'NOT_IN', 'CONTAINS', 'GTE', 'LTE', 'RANGE', 'EXISTS'] as const;
export type Operator = (typeof OPERATORS)[number];

/** A condition on the values of an attribute, in the form of exports. */
export interface Condition {
  readonly name: string;
  readonly op: Operator;
  readonly value?: unknown;
  readonly fromValue?: unknown;
  readonly toValue?: unknown;
}

/** Which items are meant. */
export interface ItemFilter {
  /** A part of the SKU or of the title. */
  readonly q?: string;
  /** How the SKU begins. */
  readonly sku?: string;
  readonly status?: 'LIVE' | 'DRAFT';
  readonly type?: 'ITEM' | 'BUNDLE';
  /** The node id of a category: it, and those below it. */
  readonly in?: number;
  /** The first day, such as 2026-01-31, on which it was changed last. */
  readonly changed?: string;
  readonly where?: readonly Condition[];
}

export interface ItemsSearch extends ItemFilter {
  /** The columns. Undefined: those that were chosen last. */
  readonly show?: readonly string[];
  /** The SKU at which the table begins, or the end of all. */
  readonly from?: string;
  readonly end?: true;
}

type Match = NonNullable<schemas.SearchItemsRequest['match']>;

/** Reads an address that somebody may have written by hand. */
export function readItemFilter(given: Readonly<Record<string, unknown>>): ItemFilter {
  const { q, sku, status, type, in: category, changed, where } = given;
  const conditions = Array.isArray(where) ? where.filter(isCondition) : [];
  return {
    ...textOf('q', q),
    ...textOf('sku', sku),
    ...(status === 'LIVE' || status === 'DRAFT' ? { status } : {}),
    ...(type === 'ITEM' || type === 'BUNDLE' ? { type } : {}),
    ...(Number.isInteger(category) ? { in: Number(category) } : {}),
    ...(isDay(changed) ? { changed } : {}),
    ...(conditions.length > 0 ? { where: conditions } : {}),
  };
}

export function readItemsSearch(given: Readonly<Record<string, unknown>>): ItemsSearch {
  const { show, from, end } = given;
  return {
    ...readItemFilter(given),
    ...(Array.isArray(show) && show.length > 0 ? { show: show.map(String) } : {}),
    ...textOf('from', from),
    ...(end === true ? { end } : {}),
  };
}

/** The conditions as exports and searches take them. */
export function matchOf({ status, type, in: category, changed, where }: ItemFilter): Match {
  return {
    ...(status === undefined ? {} : { status }),
    ...(type === undefined ? {} : { type: [type] }),
    ...(category === undefined ? {} : { categoryId: [category] }),
    ...(changed === undefined ? {} : { updatedAt: { op: 'GTE', value: changed } }),
    ...(where === undefined ? {} : { properties: where.map((condition) => ({ ...condition })) }),
  };
}

/** Whether fewer than all items are meant. */
export function isNarrowed({ q, sku, status, type, in: category, changed, where }: ItemFilter): boolean {
  return [q, sku, status, type, category, changed, where].some((one) => one !== undefined);
}

/** Whether a field for a day, or an address, names one. */
export function isDay(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

function textOf<K extends string>(key: K, value: unknown): { readonly [key in K]?: string } {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  return (text === '' ? {} : { [key]: text }) as { readonly [key in K]?: string };
}

function isCondition(given: unknown): given is Condition {
  if (typeof given !== 'object' || given === null) return false;
  const { name, op } = given as Partial<Condition>;
  return typeof name === 'string' && OPERATORS.some((one) => one === op);
}
