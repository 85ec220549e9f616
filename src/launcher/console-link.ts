/** The link to the console that `npm start` prints. */
import { connectDb } from '../../db/connection.js';
import { createAuthenticator } from '../domain/access/authenticate.js';
import { makeConsoleLink } from '../domain/access/console-link.js';
import { LAUNCHER } from './credentials.js';

/** Logs in once, as the token of the credentials. @param publicUrl the address that a browser opens */
export async function consoleLinkOf(databaseUrl: string, token: string, publicUrl: string): Promise<string> {
  const db = connectDb({ url: databaseUrl, poolMax: 1, name: 'longshore-launcher' });
  try {
    const principal = await createAuthenticator(db).authenticate(token);
    if (principal?.kind !== 'account') throw new Error('the token of the credentials is not valid');
    const { accountId, tokenId } = principal;
    return (await db.transaction((trx) => makeConsoleLink(trx, publicUrl, accountId, tokenId, LAUNCHER))).link;
  } finally {
    await db.destroy();
  }
}
