/** OpenSSH's server for tests of SFTP: on loopback, with keys and settings of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { guardAgainstOurDeath } from '../../../src/launcher/death-guard.js';
import { fingerprintOf, newKeyPair } from '../faults/hostile-sftp.js';
import { until } from '../until.js';
import { findProgram } from './find-program.js';
import { reservePort } from './reserved-port.js';
import { testEnvironment } from './test-environment.js';

const READY_WITHIN_MS = 30_000;
/** A server that was started as root demands it. */
const ROOT_FOLDER = '/run/sshd';

export interface TestSshd {
  readonly port: number;
  /** Who may log in, by `key`. */
  readonly user: string;
  /** The private key of the user. */
  readonly key: string;
  /** The same, encrypted with `passphrase`. */
  readonly lockedKey: string;
  readonly passphrase: string;
  /** Keys of each kind that may log in, in PKCS #8. */
  readonly opensslKeys: readonly { readonly key: string; readonly passphrase: string | null }[];
  /** The fingerprints of the keys of the server, by family. */
  readonly hostKeys: Readonly<Record<'ed25519' | 'ecdsa', string>>;
  /** An empty folder of the server. */
  newFolder(): string;
  stop(): Promise<void>;
}

function sshdIsAvailable(): boolean {
  return findProgram('sshd') !== undefined;
}

/** Skips a test where the server is not installed. @throws where REQUIRE_SFTP says that it must be */
export function skipWithoutSshd(test: Mocha.Context): void {
  if (sshdIsAvailable()) return;
  if (testEnvironment().requireSftp) {
    throw new Error('REQUIRE_SFTP=1 and no sshd was found: apt-get install openssh-server');
  }
  test.skip();
}

export async function startTestSshd(): Promise<TestSshd> {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-sshd-'));
  const port = await reservePort();
  const passphrase = 'correct horse';
  const { user, locked } = { user: newKeyPair(), locked: lockedPair(passphrase) };
  const openssl = opensslPairs(passphrase);
  const hosts = {
    ed25519: newKeyPair(),
    ecdsa: ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }),
  };
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  if (process.getuid?.() === 0) mkdirSync(ROOT_FOLDER, { recursive: true, mode: 0o755 });
  const settings = file(
    'sshd_config',
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      ...Object.entries(hosts).map(([family, pair]) => `HostKey ${file(`host-${family}`, pair.private)}`),
      `AuthorizedKeysFile ${file('authorized', [user.public, locked.public, ...openssl.map((pair) => pair.line), ''].join('\n'))}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'MaxStartups 200',
      'Subsystem sftp internal-sftp',
      `PidFile ${join(folder, 'pid')}`,
      '',
    ].join('\n'),
  );
  const child = spawn(findProgram('sshd') ?? '', ['-D', '-e', '-f', settings], { stdio: ['ignore', 'ignore', 'pipe'] });
  const said = lastWords(child);
  const guard = child.pid === undefined ? undefined : guardAgainstOurDeath(child.pid, folder);
  await until('sshd listens', async () => child.exitCode !== null || (await accepts(port)), READY_WITHIN_MS);
  if (child.exitCode !== null) throw new Error(`sshd has ended with ${child.exitCode}: ${said()}`);
  let folders = 0;
  return {
    port,
    user: userInfo().username,
    key: user.private,
    lockedKey: locked.private,
    passphrase,
    opensslKeys: openssl,
    hostKeys: { ed25519: fingerprintOf(hosts.ed25519.public), ecdsa: fingerprintOf(hosts.ecdsa.public) },
    newFolder: () => {
      folders += 1;
      const made = join(folder, `files-${folders}`);
      mkdirSync(made);
      return made;
    },
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      guard?.dismiss();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Few rounds: each takes a fifteenth of a second. */
function lockedPair(passphrase: string) {
  return newKeyPair({ passphrase, cipher: 'aes256-ctr', rounds: 2 });
}

function opensslPairs(passphrase: string) {
  const pairs = [
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ];
  return pairs.map(({ privateKey, publicKey }, index) => {
    const isLocked = index > 0;
    const lock = isLocked ? { cipher: 'aes-256-cbc', passphrase } : {};
    const key = privateKey.export({ type: 'pkcs8', format: 'pem', ...lock }).toString();
    return { key, passphrase: isLocked ? passphrase : null, line: lineOf(publicKey) };
  });
}

/** As a file of authorized keys has it. */
function lineOf(key: KeyObject): string {
  const { kty, x = '', y = '', n = '', e = '' } = key.export({ format: 'jwk' });
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  // Numbers that begin with a set bit would be negative.
  const number = (text: string) => Buffer.concat([Buffer.alloc((bytes(text)[0] ?? 0) >= 128 ? 1 : 0), bytes(text)]);
  const fields: readonly (string | Buffer)[] =
    kty === 'RSA'
      ? ['ssh-rsa', number(e), number(n)]
      : kty === 'EC'
        ? ['ecdsa-sha2-nistp256', 'nistp256', Buffer.concat([Buffer.of(4), bytes(x), bytes(y)])]
        : ['ssh-ed25519', bytes(x)];
  const blob = fields.flatMap((field) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(field.length);
    return [length, Buffer.from(field)];
  });
  return `${fields[0]} ${Buffer.concat(blob).toString('base64')}`;
}

function lastWords({ stderr }: ChildProcess): () => string {
  let said = '';
  stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_000);
  });
  return () => said;
}

function accepts(port: number): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  }).then((isOpen) => {
    socket.destroy();
    return isOpen === true;
  });
}
