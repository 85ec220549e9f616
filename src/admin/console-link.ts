/** `npm run admin -- console-link`: prints a link that logs in to the console once. */
import { connectDb } from '../../db/connection.js';
import { adminPublicUrl, loadAdminDatabaseUrl } from '../config/admin-config.js';
import { makeConsoleLink } from '../domain/access/console-link.js';
import { type OptionValues, requiredText, textOf } from './commands/command.js';
import { whoRuns } from './who-runs.js';

/** @throws UsageError, ConfigError or DomainError with a sentence for the person */
export async function consoleLink(environment: NodeJS.ProcessEnv, options: OptionValues): Promise<object> {
  const publicUrl = adminPublicUrl(environment);
  const db = connectDb({ url: loadAdminDatabaseUrl(environment), poolMax: 1, name: 'longshore-admin' });
  try {
    const actor = { kind: 'admin', id: whoRuns(), address: null, requestId: null } as const;
    return await db.transaction((trx) =>
      makeConsoleLink(trx, publicUrl, requiredText(options, 'account'), textOf(options, 'token'), actor),
    );
  } finally {
    await db.destroy();
  }
}
