/** Structured logs: one JSON line an event. ERROR means that somebody must act. */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/** Where Postgres quotes rows: they may hold people's data. What went wrong is in the message. */
const QUOTED_ROWS = ['detail', 'where', 'nativeError.detail', 'nativeError.where'].map((path) => `err.${path}`);

/**
 * A logger to standard error, so that standard output stays free for what a command answers.
 * @param destination somewhere else, for tests
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
