/** Programs of the machine that some tests need. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { testEnvironment } from './test-environment.js';

/** Where Debian has servers, which the path of a user often leaves out. */
const SERVERS = ['/usr/sbin', '/usr/local/sbin'];

/** The path of a program; undefined: it is not here. */
export function findProgram(name: string): string | undefined {
  return [...testEnvironment().path.split(delimiter), ...SERVERS]
    .map((folder) => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
