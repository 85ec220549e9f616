/** What a process says before it kills itself: the logger may not get round to writing it. */
import { writeSync } from 'node:fs';

const STANDARD_ERROR = 2;
const ERROR = 50;

/** Writes an `error` line at once, as the logger would. */
export function sayLast(name: string, fields: Readonly<Record<string, unknown>>, msg: string): void {
  const line = { level: ERROR, time: new Date().toISOString(), process: name, ...fields, msg };
  writeSync(STANDARD_ERROR, `${JSON.stringify(line)}\n`);
}
