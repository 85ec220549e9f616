/** The options of a job that a request asks for, with the approval that it needs. */
import type { Db } from '../../db/connection.js';
import type { Principal } from '../domain/access/principals.js';
import type { ImportOptions } from '../domain/imports/model/import-options.js';
import { approvalOf } from '../domain/jobs/model/approval.js';
import { DomainError } from '../domain/kernel/errors.js';
import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

/**
 * Applies the rule of the site, and what the request asks for.
 * @param fileType the type of the file; null: the rows come in the request
 * @param within the transaction of the caller, if it has one
 * @throws DomainError forbidden when the token may only propose, and the job would be applied without an approval
 */
export async function withNeededApproval(
  { site, principal }: Pick<ApiRequest<unknown, unknown, unknown, true>, 'site' | 'principal'>,
  { approvalRules }: Pick<ApiServices, 'approvalRules'>,
  options: ImportOptions,
  fileType: string | null,
  within?: Db,
): Promise<ImportOptions> {
  const { requireApproval = false } = options;
  const needed = await approvalRules.apply(site.siteId, options, { requireApproval, fileType }, within);
  requireProposal(principal, needed);
  return needed;
}

/** Whether a token may ask for changes, but not make them. */
function mayOnlyPropose(principal: Principal): boolean {
  return principal.kind === 'account' && !principal.scopes.includes('catalog:write');
}

/** @throws DomainError forbidden when the token may only propose, and the job would be applied without an approval */
function requireProposal(principal: Principal, options: ImportOptions): void {
  if (!mayOnlyPropose(principal)) return;
  const isProposal = options.validateOnly && approvalOf(options)?.above === undefined;
  if (isProposal) return;
  const message =
    'this token has the scope catalog:propose and not catalog:write: it may only ask for dry runs (validateOnly) and for jobs that wait for an approval (requireApproval)';
  throw new DomainError('forbidden', 'FORBIDDEN', message);
}
