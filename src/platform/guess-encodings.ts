/** Has a process of its own guess encodings: see encoding-guesser.ts. It serves all who ask until nobody has for a while. */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** What the process is sent. */
export interface EncodingQuestion {
  readonly id: number;
  readonly sample: Uint8Array;
  readonly allowed: readonly string[];
}

/** An encoding by the detector's name for it. */
export interface EncodingGuess {
  readonly encoding: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

interface Waiting {
  resolve(guesses: EncodingGuess[]): void;
  reject(error: Error): void;
}

interface Guesser {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  idle: NodeJS.Timeout | undefined;
}

const PROGRAM = fileURLToPath(new URL('../../app/platform/encoding-guesser.js', import.meta.url));
/** It starts in a fifth of a second, and has a hundred megabytes. */
const IDLE_MS = 2_000;

let guesser: Guesser | undefined;
let asked = 0;

/**
 * The encodings that a sample may be in, the most probable first.
 * @param allowed the detector's names of the encodings that come into question
 * @throws when the process ends before it answers
 */
export function guessEncodings(sample: Uint8Array, allowed: readonly string[]): Promise<EncodingGuess[]> {
  guesser ??= startGuesser();
  const { child, waiting } = guesser;
  clearTimeout(guesser.idle);
  asked += 1;
  const question: EncodingQuestion = { id: asked, sample, allowed };
  return new Promise((resolve, reject) => {
    waiting.set(question.id, { resolve, reject });
    // While it is asked, this process does not end without the answer.
    child.ref();
    child.channel?.ref();
    child.send(question, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
  });
}

function startGuesser(): Guesser {
  // Without this process's own flags: a debugger has one port.
  const child = fork(PROGRAM, [], {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const started: Guesser = { child, waiting: new Map(), idle: undefined };
  const lost = (how: string) => {
    if (guesser === started) guesser = undefined;
    clearTimeout(started.idle);
    for (const { reject } of started.waiting.values()) reject(new Error(`the guesser of encodings ended (${how})`));
    started.waiting.clear();
  };
  child.on('message', ({ id, guesses }: { id: number; guesses: EncodingGuess[] }) => {
    started.waiting.get(id)?.resolve(guesses);
    started.waiting.delete(id);
    if (started.waiting.size === 0) rest(started);
  });
  child.once('error', (error) => lost(error.message));
  child.once('exit', (code, signal) => lost(String(signal ?? `exit code ${code}`)));
  return started;
}

/** Nobody waits for an answer: the process ends soon, or with this one. */
function rest(started: Guesser): void {
  const { child } = started;
  child.unref();
  child.channel?.unref();
  started.idle = setTimeout(() => {
    if (guesser === started) guesser = undefined;
    if (child.connected) child.disconnect();
  }, IDLE_MS).unref();
}
