/** A span of time as a request gives it. */
import { canonicalIso } from '../../kernel/date-format.js';
import type { TimeRange } from '../export-spec.js';

/** Without `op`, RANGE. A day as the end takes in the whole day. */
export interface GivenTimes {
  readonly op?: 'RANGE' | 'GTE' | 'LTE' | undefined;
  readonly value?: string | undefined;
  readonly fromValue?: string | undefined;
  readonly toValue?: string | undefined;
}

interface TimesFault {
  readonly field: 'value' | 'fromValue' | 'toValue';
  readonly message: string;
}

const DAY_CHARACTERS = 10;

export function parseTimes({ op = 'RANGE', value, fromValue, toValue }: GivenTimes): TimeRange | TimesFault {
  if (op === 'RANGE') {
    if (value !== undefined)
      return { field: 'value', message: 'RANGE takes "fromValue" and "toValue", or one of them' };
    return settle({ field: 'fromValue', given: fromValue }, { field: 'toValue', given: toValue });
  }
  if (fromValue !== undefined) return { field: 'fromValue', message: `${op} takes "value"` };
  if (toValue !== undefined) return { field: 'toValue', message: `${op} takes "value"` };
  const end = { field: 'value', given: value } as const;
  return op === 'GTE' ? settle(end, undefined) : settle(undefined, end);
}

interface GivenEnd {
  readonly field: TimesFault['field'];
  readonly given: string | undefined;
}

function settle(from: GivenEnd | undefined, to: GivenEnd | undefined): TimeRange | TimesFault {
  const range: { from?: string; to?: string } = {};
  for (const [end, one] of [['from', from] as const, ['to', to] as const]) {
    if (one?.given === undefined) continue;
    const canonical = canonicalIso(one.given.trim());
    if (typeof canonical !== 'string') {
      return { field: one.field, message: 'expected ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00Z' };
    }
    range[end] = canonical.length === DAY_CHARACTERS ? wholeDay(canonical, end) : canonical;
  }
  if (range.from === undefined && range.to === undefined) {
    return { field: (from ?? to)?.field ?? 'value', message: 'is missing' };
  }
  return range;
}

function wholeDay(day: string, end: 'from' | 'to'): string {
  return end === 'from' ? `${day}T00:00:00Z` : `${day}T23:59:59.999999Z`;
}
