/** How a login at a server is tried: by a key if the secret is one, otherwise by a password, in both ways that servers know. */
import type { AuthMethod, KeyboardInteractiveAuthMethod } from 'ssh2';
import { openPrivateKey } from '../../open-private-key.js';
import { answered } from '../calls.js';
import { RemoteFailure, type Secrets } from '../remote-folder.js';
import { ssh } from './ssh.js';

/** A server that asks more often wants something else than a password. */
const MOST_QUESTIONS = 3;
/** PEM, and the format of PuTTY. */
const KEY = /^\s*(?:-----BEGIN |PuTTY-User-Key-File-)/;

const OTHER_PASSPHRASE = 'the passphrase is not that of the private key';
const UNKNOWN_FORMAT = 'the private key is in a format that we do not know: expected one as ssh-keygen makes them';

/** @returns nothing without a secret: the server shows its key, and gets no name @throws RemoteFailure REFUSED_LOGIN, TIMED_OUT */
export async function loginBy(
  username: string,
  { secret, passphrase }: Secrets,
  idleMs: number,
  signal: AbortSignal,
): Promise<AuthMethod[]> {
  if (secret === null || secret === '') return [];
  if (!KEY.test(secret)) return byPassword(username, secret);
  return [{ type: 'publickey', username, key: await opened(secret, passphrase ?? '', idleMs, signal) } as AuthMethod];
}

function byPassword(username: string, password: string): AuthMethod[] {
  let asked = 0;
  const prompt: KeyboardInteractiveAuthMethod['prompt'] = (_name, _instructions, _language, prompts, finish) => {
    asked += 1;
    // A question whose answer is shown is not one for a password.
    if (asked <= MOST_QUESTIONS) finish(prompts.map(({ echo }) => (echo === true ? '' : password)));
    else finish([]);
  };
  return [
    { type: 'password', username, password } as AuthMethod,
    { type: 'keyboard-interactive', username, prompt } as AuthMethod,
  ];
}

/** @returns a key without encryption */
async function opened(key: string, passphrase: string, idleMs: number, signal: AbortSignal): Promise<string> {
  const { utils } = await ssh();
  const parsed = utils.parseKey(key);
  if (!(parsed instanceof Error)) return key;
  const isEncrypted = /encrypted/i.test(parsed.message) || key.includes('-----BEGIN ENCRYPTED ');
  if (isEncrypted && passphrase === '') {
    throw new RemoteFailure('REFUSED_LOGIN', 'the private key is encrypted: give its passphrase, too');
  }
  const plain = await answered('opening the private key', idleMs, signal, (ends) =>
    openPrivateKey(key, passphrase, ends),
  );
  if (plain !== null) return plain;
  throw new RemoteFailure('REFUSED_LOGIN', isEncrypted ? OTHER_PASSPHRASE : UNKNOWN_FORMAT);
}
