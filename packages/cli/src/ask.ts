/** Questions on a terminal. What is typed as the answer to a secret one is not shown. */
import { constants } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandError } from './failure.js';
import { endProgram } from './interrupts.js';
import { note } from './terminal.js';

/** Whether there is a terminal to ask on. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true;
}

/**
 * Asks on the terminal, and ends the program on Ctrl-C.
 * @param option by which the answer can be given without a terminal
 * @param unanswered what has not happened when there is no answer
 * @throws CommandError when there is no terminal, or no answer
 */
export async function ask(
  question: string,
  option: string,
  { isSecret = false, unanswered = 'you are not logged in' } = {},
): Promise<string> {
  if (!canAsk()) throw new CommandError(`give ${option}: there is no terminal to ask on`);
  // The terminal shows nothing by itself while a question is asked: readline does, on its output.
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: isSecret ? unseen : process.stderr,
    terminal: true,
  });
  terminal.once('SIGINT', () => {
    terminal.close();
    note('');
    endProgram(128 + constants.signals.SIGINT);
  });
  // After Ctrl-D the question itself may never be answered.
  const closed = new Promise<undefined>((resolve) => terminal.once('close', () => resolve(undefined)));
  // Only now: what is typed before is shown by the terminal itself.
  if (isSecret) process.stderr.write(question);
  const answer = await Promise.race([terminal.question(isSecret ? '' : question).catch(() => undefined), closed]);
  terminal.close();
  if (isSecret) note('');
  if (answer === undefined) throw new CommandError(`${unanswered}: ${option} was not answered`);
  return answer.trim();
}
