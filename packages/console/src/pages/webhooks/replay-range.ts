/** The events that are sent again, as a form holds them, and as the API is asked. */

export const OUTCOMES = ['FAILED', 'CANCELLED', 'IGNORED', 'DELIVERED'] as const;
export type Outcome = (typeof OUTCOMES)[number];

interface RangeValues {
  /** Local times such as `2026-11-26T08:30`. */
  readonly since: string;
  readonly until: string;
  readonly outcomes: readonly Outcome[];
  readonly event: string;
  readonly orderNumber: string;
}

export function rangeOf(webhookId: string, { since, until, outcomes, event, orderNumber }: RangeValues) {
  return {
    webhookId,
    since: new Date(since).toISOString(),
    outcomes: [...outcomes],
    ...(until === '' ? {} : { until: new Date(until).toISOString() }),
    ...(event.trim() === '' ? {} : { event: event.trim() }),
    ...(orderNumber.trim() === '' ? {} : { orderNumber: orderNumber.trim() }),
  };
}

/** As fields for a day and a time have it, in the zone of the browser. */
export function localTime(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}
