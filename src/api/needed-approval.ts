/** The options of a job that a request asks for, with the approval that it needs. */
import type { Principal } from '../domain/access/principals.js';
import type { ImportOptions } from '../domain/imports/model/import-options.js';
import { approvalOf } from '../domain/jobs/model/approval.js';
import { DomainError } from '../domain/kernel/errors.js';
import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

type Asking = Pick<ApiRequest<unknown, unknown, unknown, true>, 'site' | 'principal'>;

/**
 * Applies the rule of the site, and what the request asks for.
 * @param fileType the type of the file; null: the rows come in the request
 * @param unlessEmpty whether it needs an approval in any case but where the stage is empty
 * @throws DomainError forbidden when the token may only propose, and the job would be applied without an approval
 */
export async function withNeededApproval(
  { site, principal }: Asking,
  { approvalRules }: Pick<ApiServices, 'approvalRules'>,
  options: ImportOptions,
  fileType: string | null,
  unlessEmpty = false,
): Promise<ImportOptions> {
  const { requireApproval = false } = options;
  const asked = requireApproval || unlessEmpty;
  const needed = await approvalRules.apply(site.siteId, options, { requireApproval: asked, fileType });
  // Who may only propose has to ask for an approval, of an empty stage too.
  const { approval } = needed;
  if (approval === undefined || requireApproval || mayOnlyPropose(principal)) return judged(principal, needed);
  return judged(principal, unlessEmpty ? { ...needed, approval: { ...approval, unlessEmpty } } : needed);
}

/** Like withNeededApproval, for options that a transaction finds: the rule is read before it begins. */
export async function neededApproval(
  { site, principal }: Asking,
  { approvalRules }: Pick<ApiServices, 'approvalRules'>,
): Promise<(options: ImportOptions, fileType: string | null) => ImportOptions> {
  const rule = await approvalRules.load(site.siteId);
  return (options, fileType) => {
    const { requireApproval = false } = options;
    return judged(principal, rule(options, { requireApproval, fileType }));
  };
}

/** @throws DomainError like withNeededApproval */
function judged(principal: Principal, needed: ImportOptions): ImportOptions {
  requireProposal(principal, needed);
  return ofClient(principal, needed);
}

/** The options with the client whose token asks for an approval, if there is one. */
function ofClient(principal: Principal, options: ImportOptions): ImportOptions {
  const { approval } = options;
  const client = clientOf(principal);
  return approval === undefined || client === undefined ? options : { ...options, approval: { ...approval, client } };
}

/** The client to which the token of a request was granted; undefined: to none. */
export function clientOf(principal: Principal): string | undefined {
  return principal.kind === 'account' ? principal.clientId : undefined;
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
