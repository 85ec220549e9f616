/** Refuses addresses that cannot be decoded: malformed percent-encoding, bytes that are not UTF-8, NUL. */
import type { Next } from 'koa';
import { decodePercent } from '../body/decode-percent.js';
import { HttpProblem } from '../http-problem.js';
import { isStorableText } from '../json-text.js';
import type { ApiContext } from '../request-state.js';

export async function checkAddress(ctx: ApiContext, next: Next): Promise<void> {
  requireDecodable(ctx.path, 'path');
  requireDecodable(ctx.querystring.replaceAll('+', ' '), 'query');
  await next();
}

function requireDecodable(text: string, part: 'path' | 'query'): void {
  const decoded = decodePercent(text);
  if (decoded !== null && isStorableText(decoded)) return;
  throw new HttpProblem(400, 'ADDRESS_MALFORMED', `the ${part} of the address contains malformed percent-encoding`);
}
