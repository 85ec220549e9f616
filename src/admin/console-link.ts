/** `npm run admin -- console-link`: prints a link that logs in to the console once. */
import { connectDb } from '../../db/connection.js';
import { adminPublicUrl, loadAdminDatabaseUrl } from '../config/admin-config.js';
import { makeConsoleLink } from '../domain/access/console-link.js';
import { UsageError } from './commands/command.js';
import { whoRuns } from './who-runs.js';

type Values = Readonly<Record<string, string | boolean | undefined>>;

/** @throws UsageError, ConfigError or DomainError with a sentence for the person */
export async function consoleLink(environment: NodeJS.ProcessEnv, { account, token }: Values): Promise<object> {
  if (typeof account !== 'string') {
    throw new UsageError(
      'console-link: --account is required, the account to log in to (npm run admin -- account list)',
    );
  }
  const publicUrl = adminPublicUrl(environment);
  const db = connectDb({ url: loadAdminDatabaseUrl(environment), poolMax: 1, name: 'longshore-admin' });
  try {
    const actor = { kind: 'admin', id: whoRuns(), address: null, requestId: null } as const;
    const tokenId = typeof token === 'string' ? token : undefined;
    return await db.transaction((trx) => makeConsoleLink(trx, publicUrl, account, tokenId, actor));
  } finally {
    await db.destroy();
  }
}
