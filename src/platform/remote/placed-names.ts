/** The names under which files are put with somebody else, and the check of those that we are given. */
import { randomBytes } from 'node:crypto';
import { extname } from 'node:path';
import { isSafeFolder, isSafeName } from './names.js';
import { RemoteFailure } from './remote-folder.js';

/** Names with the time are tried so often. */
const MOST_TRIES = 10;

/** @throws RemoteFailure NOT_ALLOWED */
export function requireSafeName(name: string): void {
  if (isSafeName(name)) return;
  throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(name)} is no name of a file here`);
}

/** @throws RemoteFailure NOT_ALLOWED */
export function requireSafeFolder(folder: string): void {
  if (isSafeFolder(folder)) return;
  throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(folder)} is no folder within that of the connection`);
}

/** Hidden, so that no pattern finds it before it is whole. */
export function temporaryName(name: string): string {
  return `.${name}.${randomBytes(6).toString('hex')}.part`;
}

/**
 * The name itself, or one with the time if it is taken: what was moved there before is not replaced.
 * @throws RemoteFailure NOT_ALLOWED
 */
export async function freeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
  const ending = extname(name);
  const beginning = name.slice(0, name.length - ending.length);
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const time = new Date().toISOString().replace(/[-:]/g, '');
    const tryName = tried === 0 ? name : `${beginning}.${time}${tried === 1 ? '' : `.${tried}`}${ending}`;
    if (!(await isTaken(tryName))) return tryName;
  }
  throw new RemoteFailure('NOT_ALLOWED', `no free name was found for ${name} in the folder that it is moved to`);
}
