/** Runs a program without showing its output, and says meanwhile that it goes on. A failure shows the output. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { BootstrapError } from './bootstrap-error.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** On a terminal, one line is written again and again. Elsewhere each time adds a line, so it is written rarely. */
const TERMINAL_INTERVAL_MS = 1_000;
const FILE_INTERVAL_MS = 5_000;

/**
 * @param what for messages: "Installing packages"
 * @param options.progress returns how far it is, as a short text; undefined: only the time is shown
 * @throws BootstrapError when it fails or is stopped by a signal, with the exit code of this process
 */
export async function runQuietly(what, program, args, { cwd, progress = () => '' } = {}) {
  // In a process group of its own, so that a signal reaches it once, with the programs that it has started.
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  }
  let stoppedBy;
  const stop = (signal) => {
    endGroup(child, stoppedBy === undefined ? signal : 'SIGKILL');
    stoppedBy ??= signal;
  };
  for (const signal of SIGNALS) process.on(signal, stop);
  const display = showProgress(what, progress);
  try {
    const { code, error } = await endOf(child);
    if (stoppedBy !== undefined) {
      throw new BootstrapError(
        `${what} was stopped. That is safe: run the same command again, and it continues.`,
        128 + constants.signals[stoppedBy],
      );
    }
    if (code !== 0) throw new BootstrapError(`${output.trim()}\n${what} failed${error ? `: ${error.message}` : '.'}`);
  } finally {
    display.end();
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

function endGroup({ pid }, signal) {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function endOf(child) {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: 1, error }));
    child.once('close', (code) => resolve({ code }));
  });
}

/** Writes to standard error, because standard output belongs to the command. */
function showProgress(what, progress) {
  const { stderr } = process;
  const startedAt = Date.now();
  const line = () =>
    [`${what}: ${Math.round((Date.now() - startedAt) / 1000)} s`, progress()].filter((part) => part !== '').join(', ');
  const write = () => stderr.write(stderr.isTTY ? `\r\x1b[2K${line()}` : `${line()}\n`);
  const timer = setInterval(write, stderr.isTTY ? TERMINAL_INTERVAL_MS : FILE_INTERVAL_MS);
  return {
    end: () => {
      clearInterval(timer);
      if (stderr.isTTY) stderr.write('\r\x1b[2K');
    },
  };
}
