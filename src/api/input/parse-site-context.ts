/** Reads the text of an x-site-context header. */
import { z } from 'zod';
import type { SiteSelector } from '../../domain/access/site-context.js';
import { describeRepeated, lossesOf } from '../../domain/formats/json/exact-json.js';
import { DomainError } from '../../domain/kernel/errors.js';
import { checkInput } from './check-input.js';

const DEFAULT_STAGE = 'production';
const MAX_CHANNEL = 2_147_483_647;

/** What is said of a wrong value. Null often comes from a variable that is not set, so the message offers both ways out. */
function notNull(key: string, expected: string) {
  return ({ input }: { readonly input?: unknown }) =>
    input === null ? `${key} ${expected}, not null: give it a value, or leave the key out` : `${key} ${expected}`;
}

/**
 * The JSON of the header. An unknown key is refused, and so is null: with a misspelt stage, or one from a variable that
 * is not set, a request would change production.
 */
export const siteContextSchema = z.strictObject({
  account: z
    .string({ error: 'account is mandatory: your 24-character account id' })
    .length(24, { error: 'account must have 24 characters' })
    .describe('Your account id, 24 characters. Mandatory.'),
  stage: z
    .string({ error: notNull('stage', 'must be a text') })
    .regex(/^[A-Za-z0-9._-]{1,64}$/, { error: 'stage must be 1 to 64 of the characters A-Z a-z 0-9 . _ -' })
    .optional()
    .describe(`Environment name, a separate data set. Default ${DEFAULT_STAGE}.`),
  channel: z
    .int({ error: notNull('channel', 'must be a whole number') })
    .min(0, { error: 'channel must not be negative' })
    .max(MAX_CHANNEL, { error: `channel must be at most ${MAX_CHANNEL}` })
    .optional()
    .describe('Sales channel id.'),
  date: z.iso
    .datetime({
      offset: true,
      error: notNull('date', 'must be an ISO 8601 timestamp such as 2026-01-31T12:00:00Z'),
    })
    .optional()
    .describe(
      'ISO 8601 UTC timestamp: exports and lists of the catalog show records changed up to it. It changes nothing else.',
    ),
});

/**
 * @param header the header's text; undefined when the request carries none
 * @throws DomainError invalid; its message says which key is wrong and what it should be
 */
export function parseSiteContext(header: string | undefined): SiteSelector {
  if (header === undefined || header.trim() === '') {
    throw new DomainError(
      'invalid',
      'SITE_CONTEXT_MISSING',
      'the x-site-context header is required: JSON such as {"account":"<your 24-character account id>"}',
    );
  }
  const checked = checkInput(siteContextSchema, parseJson(header), 'key');
  if (!('data' in checked)) {
    const isObject = checked.problems.every(({ path }) => path.length > 0);
    const problems = checked.problems.map(({ path, code, message }) => ({ path: path.join('.'), code, message }));
    const reason = isObject
      ? problems.map(({ message }) => message).join('; ')
      : 'the header must be a JSON object such as {"account":"<your 24-character account id>"}';
    throw new DomainError('invalid', 'SITE_CONTEXT_INVALID', `x-site-context: ${reason}`, {
      problems: isObject ? problems : [],
    });
  }
  const { account, stage, channel, date } = checked.data;
  return {
    accountId: account,
    stage: stage ?? DEFAULT_STAGE,
    channel: channel ?? null,
    date: date === undefined ? null : new Date(date),
  };
}

/** The site selector of an account that names neither stage nor channel. */
export function productionOf(accountId: string): SiteSelector {
  return { accountId, stage: DEFAULT_STAGE, channel: null, date: null };
}

function parseJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('the header is not JSON, or was sent twice');
  }
  const { repeated, rounded } = lossesOf(text, value);
  if (repeated.length > 0) throw invalid(`${describeRepeated(repeated)} is given more than once; give it once`);
  const [first] = rounded;
  if (first !== undefined) {
    throw invalid(`${first.at.slice(0, 60)}: the number ${first.text.slice(0, 60)} cannot be kept as it is written`);
  }
  return value;
}

function invalid(reason: string): DomainError {
  return new DomainError('invalid', 'SITE_CONTEXT_INVALID', `x-site-context: ${reason}`);
}
