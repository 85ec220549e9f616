/** `npm run admin -- token …`. */
import type { AuditEntry } from '../../domain/access/audit.js';
import { ACCOUNT_SCOPES } from '../../domain/access/scopes.js';
import { createToken, listTokens, revokeToken } from '../../domain/access/tokens.js';
import { type Command, listOf, type OptionValues, requiredText, textOf, UsageError } from './command.js';

const owner = {
  account: { description: 'the account to which it belongs' },
  operator: { description: "an operator's token, which belongs to no account", flag: true },
};

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;

export const tokenCommands: readonly Command[] = [
  {
    name: 'token create',
    summary: 'Create a token and show it, only once',
    options: {
      ...owner,
      name: { description: 'what it is used for', required: true },
      scopes: { description: `separated by commas; default: all of ${ACCOUNT_SCOPES.join(',')}` },
      'expires-days': { description: 'default: never' },
    },
    audit: { action: 'TOKEN_CREATED', about: aboutToken },
    run: (db, options) =>
      createToken(db, {
        accountId: ownerOf(options),
        name: requiredText(options, 'name'),
        scopes: listOf(options, 'scopes'),
        expiresAt: expiryOf(options),
      }),
  },
  {
    name: 'token list',
    summary: 'Show the tokens of an account, or of operators (never the secrets)',
    options: owner,
    run: (db, options) => listTokens(db, ownerOf(options)),
  },
  {
    name: 'token revoke',
    summary: 'Revoke a token; it is refused within seconds',
    argument: '<token id>',
    options: {},
    audit: { action: 'TOKEN_REVOKED', about: aboutToken },
    run: (db, _options, id) => revokeToken(db, id),
  },
];

function aboutToken({ id, accountId }: Readonly<Record<string, unknown>>): Pick<AuditEntry, 'accountId' | 'target'> {
  return { accountId: typeof accountId === 'string' ? accountId : null, target: `token/${id}` };
}

export function ownerOf(options: OptionValues): string | null {
  const account = textOf(options, 'account');
  const operator = options.operator === true;
  if ((account === undefined) === !operator) throw new UsageError('give either --account <id> or --operator');
  return account ?? null;
}

function expiryOf(options: OptionValues): Date | undefined {
  const text = textOf(options, 'expiresDays');
  if (text === undefined) return undefined;
  const days = Number(text);
  if (!(days > 0 && days <= MAX_DAYS))
    throw new UsageError(`--expires-days must be a number of days up to ${MAX_DAYS}, not "${text}"`);
  return new Date(Date.now() + days * DAY_MS);
}
