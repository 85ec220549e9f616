/** The migrations, run as in a deploy. */
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { LaunchError } from './launch-error.js';
import { lastLines } from './log-file.js';
import { type LogSink, spawnNode } from './node-process.js';

interface ReleaseOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  readonly logSink: LogSink | undefined;
  readonly signal: AbortSignal;
}

/** @throws LaunchError with the end of the log when the migrations fail */
export async function runRelease({ environment, logFile, logSink, signal }: ReleaseOptions): Promise<void> {
  signal.throwIfAborted();
  const logStart = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const child = spawnNode({ name: 'release', program: 'release', environment, logFile, logSink });
  const kill = () => child.kill('SIGTERM');
  signal.addEventListener('abort', kill);
  const [code] = (await once(child, 'exit')) as [number | null];
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (code === 0) return;
  const said = logSink === undefined ? lastLines(logFile, logStart) : 'see its output';
  throw new LaunchError(`The database could not be migrated to the schema of this release: ${said}`);
}
