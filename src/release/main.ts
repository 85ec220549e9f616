/** The release step: migrates the database, and creates the partitions of the coming year. Run it once for each deploy, before the new processes start. */

import { connectDb } from '../../db/connection.js';
import { migrateDatabase } from '../../db/migrate.js';
import { ConfigError, loadConfig } from '../config/config.js';
import { createPartitions } from '../domain/changes/partitions.js';

try {
  const config = loadConfig(process.env);
  await migrateDatabase(config.databaseUrl, config.redisUrl === undefined ? config.queuePrefix : null);
  const db = connectDb({ url: config.databaseUrl, poolMax: 1, name: 'longshore-release' });
  await createPartitions(db, new Date()).finally(() => db.destroy());
} catch (error) {
  const message = error instanceof ConfigError || error instanceof Error ? error.message : String(error);
  process.stderr.write(`release: ${message}\n`);
  process.exitCode = 1;
}
