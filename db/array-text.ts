/** Writes arrays in the text format of Postgres, because the driver needs much longer to bind arrays. */

/**
 * Returns a one-dimensional array to bind and cast: `unnest(?::text[])`. Null is NULL.
 * @throws RangeError for a number that is not finite
 */
export function arrayText(values: readonly (string | number | null)[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: string | number | null): string {
  if (value === null) return 'NULL';
  return typeof value === 'number' ? numberText(value) : quoted(value);
}

function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} is not a finite number`);
  return String(value);
}

function quoted(value: string): string {
  return `"${SPECIAL.test(value) ? value.replaceAll(EACH_SPECIAL, '\\$&') : value}"`;
}

const SPECIAL = /["\\]/;
const EACH_SPECIAL = /["\\]/g;
