/** Time ranges of a request. */
import { canonicalIso } from '../../catalog/model/iso-date.js';
import { areReversed, boundOfDay, reversedMessage } from '../../kernel/reversed-bounds.js';
import type { TimeRange } from '../model/export-spec.js';

/** A time range as a request gives it. Without `op` it is a RANGE. A day as the end includes the entire day. */
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

export function parseTimes({ op = 'RANGE', value, fromValue, toValue }: GivenTimes): TimeRange | TimesFault {
  if (op === 'RANGE') {
    if (value !== undefined)
      return { field: 'value', message: 'RANGE accepts "fromValue" and "toValue", or one of them' };
    return rangeOf({ field: 'fromValue', given: fromValue }, { field: 'toValue', given: toValue });
  }
  if (fromValue !== undefined) return { field: 'fromValue', message: `${op} accepts "value" only` };
  if (toValue !== undefined) return { field: 'toValue', message: `${op} accepts "value" only` };
  const end = { field: 'value', given: value } as const;
  return op === 'GTE' ? rangeOf(end, undefined) : rangeOf(undefined, end);
}

interface GivenEnd {
  readonly field: TimesFault['field'];
  readonly given: string | undefined;
}

function rangeOf(from: GivenEnd | undefined, to: GivenEnd | undefined): TimeRange | TimesFault {
  const range: { from?: string; to?: string } = {};
  for (const [end, one] of [['from', from] as const, ['to', to] as const]) {
    if (one?.given === undefined) continue;
    const canonical = canonicalIso(one.given.trim());
    if (typeof canonical !== 'string') {
      return { field: one.field, message: 'expected ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00Z' };
    }
    range[end] = boundOfDay(canonical, end);
  }
  if (range.from === undefined && range.to === undefined) {
    return { field: (from ?? to)?.field ?? 'value', message: 'is missing' };
  }
  if (range.from !== undefined && range.to !== undefined && areReversed('date', range.from, range.to)) {
    return { field: 'fromValue', message: reversedMessage(from?.given ?? '', 'toValue', to?.given ?? '') };
  }
  return range;
}
