/** The options of a job that a request asks for, with the approval that it needs. */
import type { Principal } from '../domain/access/principals.js';
import type { ImportOptions } from '../domain/imports/model/import-options.js';
import { approvalOf } from '../domain/job-model/approval.js';
import { DomainError } from '../domain/kernel/errors.js';
import { withApproval } from '../domain/settings/approval-rules.js';
import type { ApiRequest } from './define-route.js';
import type { ApiServices } from './services.js';

type Asking = Pick<ApiRequest<unknown, unknown, unknown, true>, 'site' | 'principal'>;

/**
 * Gives options the approval that they need by the rule of the site, and by what they ask for themselves. The rule is
 * read first, so that what is returned can be called in a transaction. Its `fileType` is null where the rows come in the
 * request, and it throws a DomainError forbidden when the token may only propose, and the job would be applied without an
 * approval.
 * @param unlessEmpty whether jobs need an approval in any case but where the stage is empty
 */
export async function neededApproval(
  { site, principal }: Asking,
  { approvalRules }: Pick<ApiServices, 'approvalRules'>,
  unlessEmpty = false,
): Promise<(options: ImportOptions, fileType: string | null) => ImportOptions> {
  const rule = await approvalRules.of(site.siteId);
  return (options, fileType) => {
    const { requireApproval = false } = options;
    const needed = withApproval(rule, options, { requireApproval: requireApproval || unlessEmpty, fileType });
    // Who may only propose has to ask for an approval, of an empty stage too.
    const { approval } = needed;
    if (approval === undefined || requireApproval || mayOnlyPropose(principal)) return judged(principal, needed);
    return judged(principal, unlessEmpty ? { ...needed, approval: { ...approval, unlessEmpty } } : needed);
  };
}

/** The part of such options that says whether a job is applied, and who has to approve it. */
type Deciding = Pick<ImportOptions, 'validateOnly' | 'requireApproval' | 'approval'>;

/**
 * The same for a job whose rows the service makes itself, such as a revert: the rule of the site is about it as it is about a
 * bulk request.
 * @param needed what neededApproval has returned
 */
export function decidingMadeJob(
  needed: (options: ImportOptions, fileType: string | null) => ImportOptions,
  { validateOnly, requireApproval }: Omit<Deciding, 'approval'>,
): Deciding {
  const options = needed({ mode: 'upsert', onError: 'skip', validateOnly, requireApproval }, null);
  return { validateOnly: options.validateOnly, requireApproval, approval: options.approval };
}

/** @throws DomainError forbidden */
function judged(principal: Principal, needed: ImportOptions): ImportOptions {
  requireProposal(principal, needed);
  return ofClient(principal, needed);
}

/** The options with the client whose token asks for an approval, if there is one. */
function ofClient(principal: Principal, options: ImportOptions): ImportOptions {
  const { approval, snapshot } = options;
  const client = clientOf(principal);
  if (client === undefined) return options;
  if (approval !== undefined) return { ...options, approval: { ...approval, client } };
  return snapshot?.onBrake === 'approve' ? { ...options, sentBy: client } : options;
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
