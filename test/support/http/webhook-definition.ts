/** A body that makes a webhook definition. */
let last = 0;

/** Each has a target of its own, unless it is given. */
export function webhookBody(over: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  last += 1;
  return {
    target: `http://127.0.0.1:9/hooks/${last}`,
    protocol: 'HTTP',
    source: 'OMS',
    events: ['ORDER_CREATED'],
    ...over,
  };
}
