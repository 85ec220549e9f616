/** Parsers of single environment variables, each with a message that says what was expected. */
import { readFileSync } from 'node:fs';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** A variable that is set but empty counts as not set, because many deploy tools set variables to nothing. */
export const optionalText = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim()));
export const integer = <Fallback extends number | undefined>(fallback: Fallback, min: number, max: number) =>
  optionalText.transform((text, context): number | Fallback => {
    if (text === undefined) return fallback;
    const value = Number(text);
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `expected a whole number from ${min} to ${max}, got "${text}"` });
    return z.NEVER;
  });
export const flagOr = (absent: boolean) =>
  optionalText.transform((text, context) => {
    if (text === undefined) return absent;
    if (/^(1|true|yes)$/i.test(text)) return true;
    if (/^(0|false|no)$/i.test(text)) return false;
    context.addIssue({ code: 'custom', message: `expected true or false, got "${text}"` });
    return z.NEVER;
  });
export const flag = flagOr(false);
export const url = (...protocols: string[]) =>
  optionalText.transform((text, context) => {
    if (text === undefined) return undefined;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol.slice(0, -1))) return text;
    context.addIssue({ code: 'custom', message: `expected a URL that begins with ${protocols.join(':// or ')}://` });
    return z.NEVER;
  });

/** What a function makes of the text. */
export function parsedBy<T>(parse: (text: string) => T) {
  return optionalText.transform((text, context) => {
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}
/** The text of a file that the variable names. */
export const fileText = optionalText.transform((path, context) => {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'it cannot be read';
    context.addIssue({ code: 'custom', message: `expected a file that this user can read, got "${path}" (${why})` });
    return z.NEVER;
  }
});

const DAY_SECONDS = 86_400;
const MAX_PAUSE_SECONDS = 30 * DAY_SECONDS;

/** Undefined: not set. Unlike for other variables, an empty text means an empty list. */
export const networks = z
  .string()
  .optional()
  .transform((text, context) => {
    const parts = text?.split(',').map((part) => part.trim());
    return parts
      ?.filter((part) => part !== '')
      .map((part) => {
        const network = part.includes('/') ? part : `${part}/${part.includes(':') ? 128 : 32}`;
        if (isNetwork(network)) return network;
        context.addIssue({
          code: 'custom',
          message: `expected networks such as 10.1.0.0/16 or ::1, separated by commas, got "${part}"`,
        });
        return z.NEVER;
      });
  });

/** IPv4 with its four decimal numbers only: `10/8` would be 0.0.0.10/8, and addresses are never compared as ::ffff:10.0.0.1. */
function isNetwork(text: string): boolean {
  if (!text.includes(':')) return ipaddr.IPv4.isValidCIDRFourPartDecimal(text);
  return ipaddr.IPv6.isValidCIDR(text) && !ipaddr.IPv6.parseCIDR(text)[0].isIPv4MappedAddress();
}

/** Seconds before each attempt, including the first. */
export const seconds = optionalText.transform((text, context) => {
  // Without anything between two commas there is no number, which would be read as 0.
  const values = text?.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (values === undefined || values.every((value) => value >= 0 && value <= MAX_PAUSE_SECONDS)) return values;
  context.addIssue({
    code: 'custom',
    message: `expected the seconds before each attempt, separated by commas, such as 0,5,300, got "${text}"`,
  });
  return z.NEVER;
});

/** One of a few values. */
export function onlyOf<Value extends string>(...values: readonly Value[]) {
  return optionalText.transform((text, context) => {
    const found = values.find((value) => value === text);
    if (text === undefined || found !== undefined) return found;
    const expected = values.join(', ').replace(/, (\w+)$/, ' or $1');
    context.addIssue({ code: 'custom', message: `expected ${expected}, got "${text}"` });
    return z.NEVER;
  });
}
