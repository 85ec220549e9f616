/** Structured logs: one JSON line an event. ERROR means that somebody must act. */
import { type Logger, pino } from 'pino';

export type { Logger };

/** A logger to standard error, so that standard output stays free for what a command answers. */
export function createLogger(process: string, level: string): Logger {
  return pino(
    { level, base: { process }, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ dest: 2, sync: false }),
  );
}
