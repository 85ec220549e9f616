/**
 * A thread beside the main one, which is served even while that computes or is blocked. It ends the process when the
 * event loop of the main thread stands still, and says where; and when the process that started it has ended.
 */
import type { Session } from 'node:inspector';
import { Socket } from 'node:net';
import { workerData } from 'node:worker_threads';
import { sayLast } from './last-words.js';
import type { GuardData } from './watchdog.js';

/** The main thread is interrupted within this time, unless it is blocked in a call of the system. */
const INTERRUPTED_WITHIN_MS = 2_000;
const MOST_FRAMES = 12;

const guarded = workerData as GuardData;
if (guarded.lifeline !== undefined) endWith(guarded.lifeline);
watch(guarded);

function watch({ ticks, everyMs, looks, ...log }: GuardData): void {
  const counter = new Int32Array(ticks);
  let last = Atomics.load(counter, 0);
  let still = 0;
  const timer = setInterval(() => {
    const now = Atomics.load(counter, 0);
    still = now === last ? still + 1 : 0;
    last = now;
    if (still < looks) return;
    clearInterval(timer);
    void end(Math.round((looks * everyMs) / 1000), log);
  }, everyMs);
}

async function end(
  seconds: number,
  { process: name, isSilent }: Pick<GuardData, 'process' | 'isSilent'>,
): Promise<void> {
  const stack = await whereItStands();
  const msg = `the event loop has stood still for ${seconds} s: this process ends itself, and has to be started again; others go on with its work. Please report it, with this line`;
  if (!isSilent) sayLast(name, { stack }, msg);
  process.kill(process.pid, 'SIGKILL');
}

/** The innermost calls of the main thread; empty where it cannot be interrupted. */
async function whereItStands(): Promise<string[]> {
  try {
    // Loaded only now: it is needed once in the life of few processes.
    const inspector = await import('node:inspector');
    const session = new inspector.Session();
    session.connectToMainThread();
    return await framesOf(session);
  } catch {
    // The main thread is being debugged, for example.
    return [];
  }
}

function framesOf(session: Session): Promise<string[]> {
  const urls = new Map<string, string>();
  return new Promise((resolve) => {
    setTimeout(resolve, INTERRUPTED_WITHIN_MS, []);
    session.on('Debugger.scriptParsed', ({ params }) => urls.set(params.scriptId, params.url));
    session.once('Debugger.paused', ({ params }) => {
      const frames = params.callFrames.slice(0, MOST_FRAMES).map(({ functionName, location }) => {
        const { scriptId, lineNumber, columnNumber = 0 } = location;
        return `${functionName || '(anonymous)'} ${urls.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`;
      });
      resolve(frames);
    });
    session.post('Debugger.enable', () => session.post('Debugger.pause'));
  });
}

/** The operating system closes the pipe however the process at its other end has ended. */
function endWith(lifeline: number): void {
  const line = new Socket({ fd: lifeline, readable: true, writable: false });
  line.once('close', () => process.kill(process.pid, 'SIGKILL'));
  line.on('error', () => undefined);
  line.resume();
}
