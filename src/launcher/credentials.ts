/** The first account and its tokens, made for whoever starts the system: `$DATA_DIR/credentials.json`, mode 600. */
import { join } from 'node:path';
import { connectDb, type Db } from '../../db/connection.js';
import { createAccount, listAccounts } from '../domain/access/accounts.js';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { createToken } from '../domain/access/tokens.js';
import { readPrivateJson, writePrivateJson } from './private-json.js';

export interface Credentials {
  readonly baseUrl: string;
  /** The account's id. */
  readonly account: string;
  /** Has every scope of the account. */
  readonly token: string;
  /** Belongs to no account; opens the operator's routes. */
  readonly operatorToken: string;
}

/** How the account made here is found again when the file was lost. */
const ACCOUNT_NAME = 'Longshore';
const TOKEN_NAME = 'credentials.json';

/** Keeps the credentials of an earlier start as far as the database still knows them, makes what is missing, writes the file. */
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
  const account = (known ?? (await createAccount(db, { name: ACCOUNT_NAME }))).id;
  return { account, token: await newToken(db, account) };
}

async function keptOperatorToken(db: Db, token: unknown): Promise<string | undefined> {
  if (typeof token !== 'string') return undefined;
  const principal = await createAuthenticator(db).authenticate(token);
  return principal?.kind === 'operator' ? token : undefined;
}

async function newToken(db: Db, accountId: string | null): Promise<string> {
  return (await createToken(db, { accountId, name: TOKEN_NAME })).token;
}
