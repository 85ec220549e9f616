/** The first account and its tokens, made at the first start and stored in `$DATA_DIR/credentials.json` (mode 600). */
import { join } from 'node:path';
import { connectDb, type Db } from '../../db/connection.js';
import { createAccount, listAccounts } from '../domain/access/accounts.js';
import { recordAudit } from '../domain/access/audit.js';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { createToken } from '../domain/access/tokens.js';
import { readPrivateJson, writePrivateJson } from './private-json.js';

export interface Credentials {
  readonly baseUrl: string;
  /** The account's id. */
  readonly account: string;
  /** A token with every scope of the account. */
  readonly token: string;
  /** A token without an account, for the routes of operators. */
  readonly operatorToken: string;
}

/** The name by which the account is found again if the file was lost. */
const ACCOUNT_NAME = 'Longshore';
/** What the console and the audit log show of who uses the tokens. */
const OWNER = 'Owner';
const OPERATOR = 'credentials.json';

/** Keeps the credentials of an earlier start if the database has them, creates the others, and writes the file. */
export async function keepCredentials(databaseUrl: string, dataDir: string, baseUrl: string): Promise<Credentials> {
  const path = join(dataDir, 'credentials.json');
  const kept = readPrivateJson(path) ?? {};
  const db = connectDb({ url: databaseUrl, poolMax: 1, name: 'longshore-launcher' });
  try {
    const credentials = {
      baseUrl,
      ...((await keptAccess(db, kept.token)) ?? (await newAccess(db))),
      operatorToken: (await keptOperatorToken(db, kept.operatorToken)) ?? (await newToken(db, null)),
    };
    writePrivateJson(path, credentials);
    return credentials;
  } finally {
    await db.destroy();
  }
}

async function keptAccess(db: Db, token: unknown): Promise<Pick<Credentials, 'account' | 'token'> | undefined> {
  if (typeof token !== 'string') return undefined;
  const principal = await createAuthenticator(db).authenticate(token);
  return principal?.kind === 'account' ? { account: principal.accountId, token } : undefined;
}

async function newAccess(db: Db): Promise<Pick<Credentials, 'account' | 'token'>> {
  const known = (await listAccounts(db)).find(({ name }) => name === ACCOUNT_NAME);
  const account = (known ?? (await newAccount(db))).id;
  return { account, token: await newToken(db, account) };
}

async function keptOperatorToken(db: Db, token: unknown): Promise<string | undefined> {
  if (typeof token !== 'string') return undefined;
  const principal = await createAuthenticator(db).authenticate(token);
  return principal?.kind === 'operator' ? token : undefined;
}

/** In the audit log, the launcher acts. */
export const LAUNCHER = { kind: 'admin', id: 'launcher', address: null, requestId: null } as const;

function newAccount(db: Db): Promise<{ readonly id: string }> {
  return db.transaction(async (trx) => {
    const made = await createAccount(trx, { name: ACCOUNT_NAME });
    const what = { accountId: made.id, action: 'ACCOUNT_CREATED', target: `account/${made.id}` } as const;
    await recordAudit(trx, [{ actor: LAUNCHER, ...what }]);
    return made;
  });
}

function newToken(db: Db, accountId: string | null): Promise<string> {
  return db.transaction(async (trx) => {
    const { id, token } = await createToken(trx, { accountId, name: accountId === null ? OPERATOR : OWNER });
    await recordAudit(trx, [{ actor: LAUNCHER, accountId, action: 'TOKEN_CREATED', target: `token/${id}` }]);
    return token;
  });
}
