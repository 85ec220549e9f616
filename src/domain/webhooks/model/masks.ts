/** How the API key and the headers of a target are shown: masked, except for the last characters of a long value. */

export const MASK = '****';

/** The parts of its values that are stored in plain text; null: it has none. */
interface Hints {
  readonly target_api_key_hint: string | null;
  readonly header_hints: Readonly<Record<string, string>> | null;
}

interface MaskedTarget {
  /** For example `****abcd`. */
  readonly targetApiKey: string | null;
  readonly headers: Record<string, string>;
}

export function maskedTarget({ target_api_key_hint: key, header_hints: headers }: Hints): MaskedTarget {
  return {
    targetApiKey: key === null ? null : MASK + key,
    headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, hint]) => [name, MASK + hint])),
  };
}
