/** Structured logs: one JSON line per event. ERROR means that an operator must act. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** The members in which Postgres quotes rows, which may contain personal data. The cause is in the message. */
const QUOTED_ROWS = ['detail', 'where', 'nativeError.detail', 'nativeError.where'].map((path) => `err.${path}`);

/**
 * Creates a logger to standard error, so that standard output stays free for the output of a command.
 * @param destination another destination, for tests
 */
export function createLogger(process: string, level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: QUOTED_ROWS, remove: true },
    },
    destination ?? pino.destination({ dest: 2, sync: false }),
  );
}
