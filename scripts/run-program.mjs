/** Runs a program in this terminal, passes signals on to it once, and returns its exit code. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** @returns its exit code; 128 + n when signal n ended it */
export function runProgram(program, args, environment = process.env) {
  const child = spawn(program, args, { stdio: 'inherit', env: environment });
  const passOn = (signal) => {
    // Ctrl-C in a terminal has reached the child already, because it is in the same process group.
    if (!(signal === 'SIGINT' && process.stdin.isTTY)) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of PASSED_ON) process.off(name, passOn);
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}
