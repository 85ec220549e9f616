/** `npm run admin -- audit …`. */
import { AUDIT_ACTIONS, type AuditAction, pageAudit } from '../../domain/access/audit.js';
import { type Command, type OptionValues, textOf, UsageError } from './command.js';
import { ownerOf } from './token.js';

const DEFAULT_ENTRIES = 100;
const MAX_ENTRIES = 10_000;

export const auditCommands: readonly Command[] = [
  {
    name: 'audit list',
    summary: 'Show what was done to an account, or (--operator) to none, the newest first',
    options: {
      account: { description: 'the account that it concerned' },
      operator: { description: 'what concerned no account: unknown tokens, operators, secrets', flag: true },
      since: { description: 'only from this time on: 2026-01-31T12:00:00Z' },
      action: { description: 'only this act: TOKEN_REVOKED' },
      limit: { description: `how many; default: ${DEFAULT_ENTRIES}, at most ${MAX_ENTRIES}` },
    },
    run: async (db, options) => {
      const filter = { since: sinceOf(options), action: actionOf(options) };
      const { rows } = await pageAudit(db, ownerOf(options), filter, { limit: entriesOf(options) });
      return rows;
    },
  },
];

function sinceOf(options: OptionValues): Date | undefined {
  const text = textOf(options, 'since');
  if (text === undefined) return undefined;
  const since = new Date(text);
  if (!Number.isNaN(since.getTime())) return since;
  throw new UsageError(`--since must be a time such as 2026-01-31T12:00:00Z, not "${text}"`);
}

function actionOf(options: OptionValues): AuditAction | undefined {
  const text = textOf(options, 'action');
  const action = AUDIT_ACTIONS.find((known) => known === text);
  if (text === undefined || action !== undefined) return action;
  throw new UsageError(`--action must be one of ${AUDIT_ACTIONS.join(', ')}, not "${text}"`);
}

function entriesOf(options: OptionValues): number {
  const text = textOf(options, 'limit') ?? String(DEFAULT_ENTRIES);
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= MAX_ENTRIES) return limit;
  throw new UsageError(`--limit must be a whole number up to ${MAX_ENTRIES}, not "${text}"`);
}
