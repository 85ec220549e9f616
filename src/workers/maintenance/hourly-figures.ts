/** Keeps a day of figures that nothing else remembers: the connections that were open, and the size of the database. */
import type { Db } from '../../../db/connection.js';

const EVERY_MS = 60_000;

/** Connections of the server, as they were counted. */
interface CountedConnections {
  readonly connections: number;
  readonly connectionLimit: number;
}

export class HourlyFigures {
  #dueAt = Number.NEGATIVE_INFINITY;

  /** Once a minute: the size of a database is added up from its files. */
  async note(db: Db, { connections, connectionLimit }: CountedConnections): Promise<void> {
    const now = performance.now();
    if (now < this.#dueAt) return;
    this.#dueAt = now + EVERY_MS;
    await db.raw(
      `WITH forgotten AS (DELETE FROM hourly_figure WHERE hour < now() - interval '26 hours')
       INSERT INTO hourly_figure (hour, connections, connection_limit, database_bytes)
       VALUES (date_trunc('hour', now(), 'UTC'), ?, ?, pg_database_size(current_database()))
       ON CONFLICT (hour) DO UPDATE SET connections = greatest(hourly_figure.connections, excluded.connections),
         connection_limit = excluded.connection_limit, database_bytes = excluded.database_bytes`,
      [connections, connectionLimit],
    );
  }
}
