/** Runs programs that verify signatures, as a receiver that has copied them would. */
import { execFileSync } from 'node:child_process';

/** Whether a program says that a request is signed with this secret: `true` or `false`. */
type RunVerifier = (program: string, secret: string, headers: Readonly<Record<string, string>>, body: string) => string;

/** @param program a module that exports `verify` */
const byNode: RunVerifier = (program, secret, headers, body) => {
  const run = `${program.replace('export function', 'function')}
const [secret, headers, body] = JSON.parse(process.argv[1]);
console.log(verify(secret, headers, Buffer.from(body)));`;
  return printed(process.execPath, ['--input-type=module', '-e', run, JSON.stringify([secret, headers, body])]);
};

/** @param program defines `verify` */
const byPython: RunVerifier = (program, secret, headers, body) => {
  const run = `${program}
import json, sys
secret, headers, body = json.loads(sys.argv[1])
print(str(verify(secret, headers, body.encode())).lower())`;
  return printed('python3', ['-c', run, JSON.stringify([secret, headers, body])]);
};

/** By the language as the console names it. */
export const VERIFIERS = { Node: byNode, Python: byPython } as const;

function printed(program: string, given: readonly string[]): string {
  return execFileSync(program, given, { encoding: 'utf8' }).trim();
}
