/** Reads application/x-www-form-urlencoded. */
import { HttpProblem } from './http-problem.js';
import { isStorableText } from './json-text.js';
import { decodeUtf8 } from './small-body.js';

/** Fields by name. @throws HttpProblem 400 when a field is malformed or stands twice (RFC 6749 §3.2 forbids that) */
export function decodeForm(bytes: Buffer): Record<string, string> {
  const fields = new Map<string, string>();
  for (const pair of decodeUtf8(bytes).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    if (fields.has(name)) throw new HttpProblem(400, 'FIELD_REPEATED', `the field ${name} stands twice in the form`);
    fields.set(name, equals < 0 ? '' : decodeField(pair.slice(equals + 1)));
  }
  return Object.fromEntries(fields);
}

/** @throws HttpProblem 400 */
function decodeField(text: string): string {
  const decoded = decodePercent(text.replaceAll('+', ' '));
  if (decoded === null || !isStorableText(decoded)) {
    throw new HttpProblem(400, 'FORM_MALFORMED', 'the form holds malformed percent-encoding');
  }
  return decoded;
}

/** Null when the text is malformed. */
export function decodePercent(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
