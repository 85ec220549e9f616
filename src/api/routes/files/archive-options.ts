/** What may be said of the archive of a stage that is announced. */
import type { z } from 'zod';
import type { Principal } from '../../../domain/access/principals.js';
import type { AccountScope } from '../../../domain/access/scopes.js';
import type { givenOptionsSchema } from '../../../domain/imports/given-options.js';
import type { ImportOptions } from '../../../domain/imports/model/import-options.js';
import { SITE_FILES } from '../../../domain/imports/model/site-job.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { requireScopes } from '../../authorize.js';

type GivenOptions = z.output<typeof givenOptionsSchema>;

/** Options that every import has, and an archive too. */
const ALLOWED: readonly (keyof GivenOptions)[] = ['validateOnly', 'requireApproval', 'callbackUrl'];

/** An archive changes what these allow to change: settings and webhook definitions. */
const NEEDED: readonly AccountScope[] = ['catalog:admin', 'webhooks:write'];

export function isArchive(fileType: string): boolean {
  return (SITE_FILES as readonly string[]).includes(fileType);
}

/** The options that do not apply to an archive, each with what to do. */
export function refusedForArchive(given: GivenOptions): { readonly option: string; readonly message: string }[] {
  const isDefault = (option: string, value: unknown) =>
    (option === 'mode' && value === 'upsert') || (option === 'onError' && value === 'abort');
  return Object.entries(given)
    .filter(([option, value]) => value !== undefined && !(ALLOWED as readonly string[]).includes(option))
    .filter(([option, value]) => !isDefault(option, value))
    .map(([option]) => ({
      option,
      message: 'does not apply to an archive, which goes in as a whole or not at all: leave it out',
    }));
}

/** @throws DomainError forbidden, or invalid when the site context names a part of a stage */
export function requireArchiveAllowed(principal: Principal, { channel }: { readonly channel: number | null }): void {
  requireScopes(principal, NEEDED);
  if (channel === null) return;
  const message = 'x-site-context: an archive is that of a whole stage: leave out the channel';
  throw new DomainError('invalid', 'REQUEST_INVALID', message, {
    problems: [{ path: 'x-site-context.channel', code: 'FIELD_INVALID', message }],
  });
}

export function archiveOptions({ implied: _, ...options }: ImportOptions): ImportOptions {
  return { ...options, mode: 'upsert', onError: 'abort' };
}
