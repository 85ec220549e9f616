/** Decodes forms: application/x-www-form-urlencoded. */
import { HttpProblem } from '../http-problem.js';
import { isStorableText } from '../json-text.js';
import { decodePercent } from './decode-percent.js';
import { decodeUtf8 } from './decode-utf8.js';

/** Fields by name. @throws HttpProblem 400 when a field is malformed or repeated (RFC 6749 §3.2 forbids that) */
export function decodeForm(bytes: Buffer): Record<string, string> {
  const fields = new Map<string, string>();
  for (const pair of decodeUtf8(bytes).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeField(equals < 0 ? pair : pair.slice(0, equals));
    if (fields.has(name)) throw new HttpProblem(400, 'FIELD_REPEATED', `the form contains the field ${name} twice`);
    fields.set(name, equals < 0 ? '' : decodeField(pair.slice(equals + 1)));
  }
  return Object.fromEntries(fields);
}

/** @throws HttpProblem 400 */
function decodeField(text: string): string {
  const decoded = decodePercent(text.replaceAll('+', ' '));
  if (decoded === null || !isStorableText(decoded)) {
    throw new HttpProblem(400, 'FORM_MALFORMED', 'the form contains malformed percent-encoding');
  }
  return decoded;
}
