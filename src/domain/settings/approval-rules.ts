/** Which jobs of a site need an approval, read once in a while: every bulk request asks for it. */
import type { Db } from '../../../db/connection.js';
import { createBatcher } from '../../platform/concurrency/batcher.js';
import { type Approval, previewing } from '../job-model/approval.js';
import { counted } from '../kernel/counted.js';
import { DomainError } from '../kernel/errors.js';
import { isAbove } from './is-above.js';
import type { ApprovalRule } from './settings.js';
import { settingsOfSites, siteSettings } from './site-settings.js';

/** A process learns after so long that another one has changed the rule. */
const FRESH_MS = 2_000;
const MOST_SITES = 10_000;
/** Sites in one statement, and statements at a time. A connection that is silent does not stop the others. */
const READ_TOGETHER = 200;
const PARALLEL_READS = 3;
const PATIENCE_MS = 1_000;

/** What a request says of itself. */
interface Asked {
  /** Whether it asks for an approval. */
  readonly requireApproval: boolean;
  /** The type of its file; null: its rows came in the request. */
  readonly fileType: string | null;
}

interface RuledOptions {
  readonly validateOnly: boolean;
}

export interface ApprovalRules {
  /** The rule of a site, read before a transaction begins, which must not wait for another connection. */
  of(siteId: number): Promise<ApprovalRule>;
  /** The rule of the site was changed by this process. */
  forget(siteId: number): void;
}

export function createApprovalRules(db: Db, now: () => number = () => performance.now()): ApprovalRules {
  // Where requests go to many sites at a time, a statement for each of them would be a large part of what a request costs.
  const read = createBatcher<number, ApprovalRule>({
    lingerMs: 0,
    maxItems: READ_TOGETHER,
    parallel: PARALLEL_READS,
    patienceMs: PATIENCE_MS,
    run: async (siteIds) => (await settingsOfSites(db, siteIds)).map(({ approval }) => approval),
  });
  const known = new Map<number, { readonly until: number; readonly rule: Promise<ApprovalRule> }>();
  return {
    of: (siteId) => {
      const found = known.get(siteId);
      if (found !== undefined && found.until > now()) return found.rule;
      if (known.size >= MOST_SITES) known.clear();
      const rule = read(siteId);
      rule.catch(() => known.delete(siteId));
      known.set(siteId, { until: now() + FRESH_MS, rule });
      return rule;
    },
    forget: (siteId) => {
      known.delete(siteId);
    },
  };
}

export async function readApprovalRule(db: Db, siteId: number): Promise<ApprovalRule> {
  return (await siteSettings(db, siteId)).settings.approval;
}

/** The options of a new job: those of a dry run first, if it needs an approval by the rule or because it asks for it. */
export function withApproval<Options extends RuledOptions>(
  rule: ApprovalRule,
  options: Options,
  asked: Asked,
): Options {
  // A dry run writes nothing.
  if (options.validateOnly) return options;
  const approval = approvalBy(rule, asked);
  return approval === undefined ? options : previewing(options, approval);
}

/**
 * Refuses a request that changes items without a job, so that nobody could look at it first, where the rule of the site has a
 * bulk request of as many items wait for an approval.
 * @param instead what to send instead, which can wait
 * @throws DomainError conflict APPROVAL_NEEDED
 */
export async function refuseUnapproved(
  db: Db,
  siteId: number,
  rule: ApprovalRule,
  items: number,
  instead: string,
): Promise<void> {
  const approval = approvalBy(rule, { requireApproval: false, fileType: null });
  if (approval === undefined || !(await isAbove(db, siteId, items, approval))) return;
  const message = `by the rule of this stage, a change of ${counted(items, 'item')} waits for an approval, which this request cannot do: ${instead}`;
  throw new DomainError('conflict', 'APPROVAL_NEEDED', message);
}

/** Types of files that are other names of a type that settings name. */
const SAME_KIND: Readonly<Record<string, string>> = {
  PRODUCT_IMPORT: 'ITEM_IMPORT',
  ITEM_VARIANT_IMPORT: 'ITEM_IMPORT',
};

/** The approval that a job needs; undefined: none. */
function approvalBy(rule: ApprovalRule, { requireApproval, fileType }: Asked): Omit<Approval, 'state'> | undefined {
  if (requireApproval) return {};
  const kind = fileType === null ? null : (SAME_KIND[fileType] ?? fileType);
  const isMeant = rule.fileTypes === null || rule.fileTypes.some((type) => type === kind);
  if (rule.when === 'REQUESTED' || !isMeant) return undefined;
  if (rule.when === 'ALWAYS') return {};
  const { items, percent } = rule;
  if (items === null && percent === null) return undefined;
  return {
    above: { ...(items === null ? {} : { items }), ...(percent === null ? {} : { percent }) },
  };
}
