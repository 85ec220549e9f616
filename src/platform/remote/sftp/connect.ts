/** Opens a connection by SFTP. The key of the host is checked before the server gets to know anything of the login. */
import { createHash } from 'node:crypto';
import { connect as connectSocket, isIPv6, type Socket } from 'node:net';
import type { AuthMethod, Client, ServerHostKeyAlgorithm, SFTPWrapper } from 'ssh2';
import { type AddressGuard, FORBIDDEN_PORTS } from '../../guard/address-guard.js';
import { answered } from '../calls.js';
import { connectionFailure } from '../connection-failure.js';
import { type Connection, RemoteFailure, type Secrets } from '../remote-folder.js';
import { loginBy } from './login.js';
import { ssh } from './ssh.js';

export type SftpConnection = Extract<Connection, { readonly kind: 'sftp' }>;

export interface Connected {
  readonly client: Client;
  readonly sftp: SFTPWrapper;
  /** `SHA256:…` */
  readonly hostKey: string;
}

export interface ConnectOptions {
  readonly guard: AddressGuard;
  /** How long everything up to the first call may take, and each call after it. */
  readonly idleMs: number;
}

/** A server has a key of each family, and shows one of them: of a given fingerprint it is not known of which family it is. */
const FAMILIES: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ['ssh-ed25519'],
  ['ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521'],
  ['rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'],
];

/**
 * @param hostKey the fingerprint that the server must have; null: any
 * @throws RemoteFailure; the reason of the signal
 */
export async function connectSftp(
  connection: SftpConnection,
  secrets: Secrets,
  hostKey: string | null,
  { guard, idleMs }: ConnectOptions,
  signal: AbortSignal,
): Promise<Connected> {
  const address = addressOf(connection, guard);
  const methods = await loginBy(connection.user, secrets, idleMs, signal);
  const attempt = (algorithms?: readonly ServerHostKeyAlgorithm[]) =>
    answered(
      `the connection and the login at ${connection.host}`,
      idleMs,
      signal,
      (ends) => connectOnce({ ...address, user: connection.user, methods, hostKey, algorithms }, guard, ends),
      ({ client }) => client.destroy(),
    );
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof RemoteFailure) || error.code !== 'WRONG_HOST_KEY') throw error;
    for (const family of FAMILIES) {
      const connected = await attempt(family).catch(() => undefined);
      signal.throwIfAborted();
      if (connected !== undefined) return connected;
    }
    throw error;
  }
}

/** @throws RemoteFailure NOT_ALLOWED */
function addressOf(
  { host, port }: SftpConnection,
  guard: AddressGuard,
): { readonly host: string; readonly port: number } {
  const text = `http://${isIPv6(host) ? `[${host}]` : host}:${port}/`;
  // Nothing but a host and a port: a name with a slash or an @ would be an address of something else.
  if (!/^[\w.:-]+$/.test(host) || !Number.isInteger(port) || port > 65_535 || !URL.canParse(text)) {
    throw new RemoteFailure('NOT_ALLOWED', `${JSON.stringify(host)} and ${port} are no name of a host and port`);
  }
  if (FORBIDDEN_PORTS.has(String(port)) || port < 0) {
    throw new RemoteFailure('NOT_ALLOWED', `port ${port} is not allowed`);
  }
  const url = new URL(text);
  try {
    guard.checkLiteral(url);
  } catch (error) {
    throw connectionFailure(error);
  }
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port };
}

interface Attempt {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly methods: AuthMethod[];
  readonly hostKey: string | null;
  readonly algorithms: readonly ServerHostKeyAlgorithm[] | undefined;
}

async function connectOnce(attempt: Attempt, guard: AddressGuard, signal: AbortSignal): Promise<Connected> {
  const { Client } = await ssh();
  signal.throwIfAborted();
  const { host, port, user, methods, hostKey, algorithms } = attempt;
  const socket = connectSocket({ host, port, lookup: guard.lookup, noDelay: true });
  const client = new Client();
  let shown = '';
  return new Promise<Connected>((resolve, reject) => {
    const fail = (error: unknown) => {
      reject(error);
      client.destroy();
      socket.destroy();
    };
    signal.addEventListener('abort', () => fail(signal.reason));
    // It may report several errors, also after it has ended.
    client.on('error', (error) => {
      const isOther = hostKey !== null && shown !== '' && !isSameKey(shown, hostKey);
      fail(isOther ? wrongKey(shown, hostKey) : loginFailure(error, shown, methods.length > 0));
    });
    client.once('close', () =>
      fail(new RemoteFailure('BROKEN_OFF', 'the server has ended the connection before the login')),
    );
    client.on('change password', () => {
      fail(new RemoteFailure('REFUSED_LOGIN', 'the server demands another password: it has expired, renew it'));
    });
    client.once('ready', () => {
      client.sftp((error, sftp) => {
        if (error === undefined || error === null) resolve({ client, sftp, hostKey: shown });
        else fail(new RemoteFailure('NOT_SUPPORTED', 'the server lets us log in, and has no SFTP', { cause: error }));
      });
    });
    whenConnected(socket, fail, () => {
      client.connect({
        sock: socket,
        username: user,
        authHandler: methods,
        // Our own deadline is for everything.
        readyTimeout: 0,
        ...(algorithms === undefined ? {} : { algorithms: { serverHostKey: [...algorithms] } }),
        hostVerifier: (key: Buffer) => {
          shown = `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
          return hostKey === null || isSameKey(shown, hostKey);
        },
      });
    });
  });
}

function whenConnected(socket: Socket, fail: (error: unknown) => void, connected: () => void): void {
  socket.once('error', (error) => fail(connectionFailure(error)));
  socket.once('connect', () => {
    try {
      connected();
    } catch (error) {
      fail(error);
    }
  });
}

function isSameKey(one: string, other: string): boolean {
  const plain = (key: string) => key.replace(/^SHA256:/i, '').replace(/=+$/, '');
  return plain(one) === plain(other);
}

function wrongKey(shown: string, expected: string): RemoteFailure {
  const message = `the server shows the host key ${shown}, and not ${expected}: it is another server, or its keys were renewed. Ask who runs it, and only then change the key of the connection. No password or key was sent`;
  return new RemoteFailure('WRONG_HOST_KEY', message);
}

function loginFailure(error: Error & { readonly level?: string }, hostKey: string, hasSecret: boolean): RemoteFailure {
  if (error.level === 'client-authentication') {
    const message = hasSecret
      ? 'the server refuses the login: correct the user, and the password or key, or have the server allow it'
      : 'the connection has no password and no private key';
    return new RemoteFailure('REFUSED_LOGIN', message, { cause: error, hostKey });
  }
  const [, lacking] = /no matching (.+)$/.exec(error.message) ?? [];
  if (lacking !== undefined) {
    const message = `the server knows no ${lacking} that we accept: it has to be renewed`;
    return new RemoteFailure('NOT_SUPPORTED', message, { cause: error });
  }
  // ssh2 itself names what it cannot parse so.
  if (error.level === 'protocol' || error.level === 'handshake') {
    const message = 'the server does not speak SSH at this port, or has broken off the handshake';
    return new RemoteFailure('BROKEN_OFF', message, { cause: error });
  }
  return connectionFailure(error);
}
