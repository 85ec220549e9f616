/** Tokens of forms: a browser sends the password of Basic with requests of any page. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Config } from '../../config/config.js';
import type { Actor } from '../../domain/access/audit.js';

const TOKEN_HOURS = 12;
const HOUR_MS = 3_600_000;

/** The tokens that are accepted; forms are given the first. One is valid for 12 to 24 hours, for one operator. */
export function formTokens({ secretsKeys }: Config, { id }: Actor, now: Date): readonly string[] {
  const period = Math.floor(now.getTime() / (TOKEN_HOURS * HOUR_MS));
  return [period, period - 1].flatMap((at) =>
    secretsKeys.map((key) => createHmac('sha256', key).update(`operator form ${id} ${at}`).digest('base64url')),
  );
}

export function isSame(known: string, sent: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(sent)];
  return one.length === other.length && timingSafeEqual(one, other);
}
