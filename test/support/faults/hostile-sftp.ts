/** An SFTP server in this process that does what OpenSSH never would: it is silent, lies, and lists what no folder has. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import ssh2, { type AuthContext, type Connection, type FileEntry, type SFTPWrapper } from 'ssh2';

const { STATUS_CODE, OPEN_MODE } = ssh2.utils.sftp;
const USER = 'merchant';

interface SftpFile {
  bytes: Buffer;
  /** In seconds. */
  mtime: number;
}

/** The calls that it can be silent at. */
export type SftpCall =
  | 'OPENDIR'
  | 'READDIR'
  | 'OPEN'
  | 'FSTAT'
  | 'STAT'
  | 'LSTAT'
  | 'READ'
  | 'REMOVE'
  | 'RENAME'
  | 'MKDIR'
  | 'WRITE';

export interface Hostility {
  /** Judges a login. Default: everybody may. */
  readonly login?: (context: AuthContext) => void;
  /** The pages of a listing, which may have no end. Default: the files, in one page. */
  readonly pages?: () => Iterator<readonly string[]>;
  /** It never answers this call. */
  readonly silentAt?: SftpCall;
  /** Called before a call is carried out: it may change the files, or end the connection. */
  readonly before?: (call: SftpCall, server: HostileSftp, connection: Connection) => void;
  /** The status with which a call fails. */
  readonly fails?: Readonly<Partial<Record<SftpCall, number>>>;
  /** No more than this much is answered to a READ. */
  readonly mostBytes?: number;
}

export interface HostileSftp {
  readonly port: number;
  readonly user: string;
  readonly hostKey: string;
  /** By name; all lie in one folder, whatever it is called. */
  readonly files: Map<string, SftpFile>;
  /** The methods of the logins that were tried, and the calls that were made. */
  readonly seen: string[];
  close(): Promise<void>;
}

export function fingerprintOf(publicKey: string): string {
  const [, body = ''] = publicKey.split(' ');
  return `SHA256:${createHash('sha256').update(Buffer.from(body, 'base64')).digest('base64').replace(/=+$/, '')}`;
}

/** One of some hundred keys that ssh2 makes is malformed, so that nobody can read it. @param lock how it is encrypted */
export function newKeyPair(lock?: { readonly passphrase: string; readonly cipher: string; readonly rounds: number }) {
  for (;;) {
    const pair =
      lock === undefined ? ssh2.utils.generateKeyPairSync('ed25519') : ssh2.utils.generateKeyPairSync('ed25519', lock);
    if (!(ssh2.utils.parseKey(pair.private, lock?.passphrase) instanceof Error)) return pair;
  }
}

export async function startHostileSftp(hostility: Hostility = {}): Promise<HostileSftp> {
  const pair = newKeyPair();
  const connections = new Set<Connection>();
  const server = new ssh2.Server({ hostKeys: [pair.private] }, (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => connections.delete(connection));
    connection.on('authentication', (context) => {
      started.seen.push(context.method);
      if (hostility.login === undefined) context.accept();
      else hostility.login(context);
    });
    connection.on('session', (accept) => {
      accept().on('sftp', (open) => serve(open(), connection, hostility, started));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const started: HostileSftp = {
    port: (server.address() as AddressInfo).port,
    user: USER,
    hostKey: fingerprintOf(pair.public),
    files: new Map(),
    seen: [],
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const connection of connections) connection.end();
      await closed;
    },
  };
  return started;
}

function serve(sftp: SFTPWrapper, connection: Connection, hostility: Hostility, server: HostileSftp): void {
  const { files, seen } = server;
  const opened = new Map<number, string>();
  const listings = new Map<number, Iterator<readonly string[]>>();
  let handles = 0;
  const handleOf = (buffer: Buffer) => buffer.readUInt32BE(0);
  const newHandle = () => {
    handles += 1;
    const handle = Buffer.alloc(4);
    handle.writeUInt32BE(handles);
    return handle;
  };
  const attributesOf = ({ bytes, mtime }: SftpFile) => ({
    mode: constants.S_IFREG | 0o644,
    uid: 0,
    gid: 0,
    size: bytes.length,
    atime: mtime,
    mtime,
  });
  /** @returns whether the call is not to be carried out */
  const isLost = (call: SftpCall, id: number): boolean => {
    seen.push(call);
    hostility.before?.(call, server, connection);
    const status = hostility.fails?.[call];
    if (status !== undefined) sftp.status(id, status);
    return status !== undefined || hostility.silentAt === call;
  };
  const answerWith = (id: number, path: string) => {
    const file = files.get(basename(path));
    if (file === undefined) sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
    else sftp.attrs(id, attributesOf(file));
  };
  const entryOf = (filename: string): FileEntry => {
    const file = files.get(filename) ?? { bytes: Buffer.alloc(0), mtime: 1_700_000_000 };
    return { filename, longname: filename, attrs: attributesOf(file) };
  };
  sftp.on('error', () => undefined);
  sftp.on('REALPATH', (id, path) => sftp.name(id, [entryOf(path)]));
  sftp.on('OPENDIR', (id) => {
    if (isLost('OPENDIR', id)) return;
    const handle = newHandle();
    listings.set(handleOf(handle), hostility.pages?.() ?? [[...files.keys()]].values());
    sftp.handle(id, handle);
  });
  sftp.on('READDIR', (id, handle) => {
    if (isLost('READDIR', id)) return;
    const page = listings.get(handleOf(handle))?.next();
    if (page === undefined || page.done === true) sftp.status(id, STATUS_CODE.EOF);
    else sftp.name(id, page.value.map(entryOf));
  });
  sftp.on('STAT', (id, path) => void (isLost('STAT', id) || answerWith(id, path)));
  sftp.on('LSTAT', (id, path) => void (isLost('LSTAT', id) || answerWith(id, path)));
  sftp.on('FSTAT', (id, handle) => void (isLost('FSTAT', id) || answerWith(id, opened.get(handleOf(handle)) ?? '')));
  sftp.on('OPEN', (id, path, flags) => {
    if (isLost('OPEN', id)) return;
    const name = basename(path);
    if ((flags & OPEN_MODE.WRITE) !== 0) files.set(name, { bytes: Buffer.alloc(0), mtime: 1_700_000_000 });
    if (!files.has(name)) {
      sftp.status(id, STATUS_CODE.NO_SUCH_FILE);
      return;
    }
    const handle = newHandle();
    opened.set(handleOf(handle), name);
    sftp.handle(id, handle);
  });
  sftp.on('READ', (id, handle, offset, length) => {
    if (isLost('READ', id)) return;
    const { bytes = Buffer.alloc(0) } = files.get(opened.get(handleOf(handle)) ?? '') ?? {};
    const part = bytes.subarray(offset, offset + Math.min(length, hostility.mostBytes ?? length));
    if (part.length === 0) sftp.status(id, STATUS_CODE.EOF);
    else sftp.data(id, part);
  });
  sftp.on('WRITE', (id, handle, offset, data) => {
    if (isLost('WRITE', id)) return;
    const file = files.get(opened.get(handleOf(handle)) ?? '');
    if (file !== undefined) file.bytes = Buffer.concat([file.bytes.subarray(0, offset), data]);
    sftp.status(id, STATUS_CODE.OK);
  });
  sftp.on('CLOSE', (id) => sftp.status(id, STATUS_CODE.OK));
  sftp.on('MKDIR', (id) => void (isLost('MKDIR', id) || sftp.status(id, STATUS_CODE.OK)));
  sftp.on('REMOVE', (id, path) => {
    if (isLost('REMOVE', id)) return;
    sftp.status(id, files.delete(basename(path)) ? STATUS_CODE.OK : STATUS_CODE.NO_SUCH_FILE);
  });
  sftp.on('RENAME', (id, from, to) => {
    if (isLost('RENAME', id)) return;
    const file = files.get(basename(from));
    // The plain rename of version 3 replaces nothing.
    if (file === undefined || files.has(basename(to))) {
      sftp.status(id, STATUS_CODE.FAILURE);
      return;
    }
    files.delete(basename(from));
    files.set(basename(to), file);
    sftp.status(id, STATUS_CODE.OK);
  });
}
