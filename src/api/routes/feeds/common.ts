/** What the routes of feeds have in common. */
import { z } from 'zod';
import type { Principal } from '../../../domain/access/principals.js';
import type { FeedSaver } from '../../../domain/feeds/feed-rows.js';
import { strayMembers } from '../../../domain/feeds/model/feed-settings.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import type { Secrets } from '../../../platform/remote/remote-folder.js';
import { requireAccountPrincipal } from '../../require-account-principal.js';

export const ofFeeds = { family: 'catalog', tag: 'Feeds', siteContext: true } as const;

export const feedParams = z.object({ feedId: z.string() });

export const EXAMPLE_CONNECTION = {
  kind: 'sftp',
  host: 'sftp.shop.example',
  port: 22,
  user: 'longshore',
  path: '/outgoing',
} as const;

/** How the audit log names a feed. */
export function targetOf({ id, version }: { readonly id: string; readonly version: number }): string {
  return `feed/${id}/${version}`;
}

/** Who saves a feed by a request. */
export function saverOf(principal: Principal): FeedSaver {
  const { tokenId, clientId = null, scopes } = requireAccountPrincipal(principal);
  return { tokenId, clientId, scopes };
}

/**
 * The secrets of a body; undefined: none were given, and those that are stored stay.
 * @throws DomainError invalid when a passphrase comes without the key that it belongs to
 */
export function secretsOf(body: {
  readonly secret?: string | null | undefined;
  readonly passphrase?: string | null | undefined;
}): Secrets | undefined {
  const { secret, passphrase = null } = body;
  if (passphrase !== null && (secret === undefined || secret === null)) {
    const message = 'belongs to a private key: send the key as secret with it';
    throw new DomainError('invalid', 'REQUEST_INVALID', `the body is not as expected: passphrase: ${message}`, {
      problems: [{ path: 'passphrase', code: 'FIELD_INVALID', message }],
    });
  }
  return secret === undefined ? undefined : { secret, passphrase };
}

/** @throws DomainError invalid when a body has members of feeds of the other direction */
export function requireOwnMembers(direction: 'SOURCE' | 'DESTINATION', given: object): void {
  const problems = strayMembers(direction, given).map(({ member, message }) => {
    return { path: member, code: 'FIELD_INVALID', message };
  });
  const [first] = problems;
  if (first === undefined) return;
  const text = `the body is not as expected: ${first.path}: ${first.message}`;
  throw new DomainError('invalid', 'REQUEST_INVALID', text, { problems });
}
