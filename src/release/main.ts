/** The release step: migrates the database. Run it once for each deploy, before the new processes start. */
import { migrateDatabase } from '../../db/migrate.js';
import { ConfigError, loadConfig } from '../config/config.js';

try {
  const config = loadConfig(process.env);
  await migrateDatabase(config.databaseUrl, config.redisUrl === undefined ? config.queuePrefix : null);
} catch (error) {
  const message = error instanceof ConfigError || error instanceof Error ? error.message : String(error);
  process.stderr.write(`release: ${message}\n`);
  process.exitCode = 1;
}
