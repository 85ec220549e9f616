/** The connection of a feed in its form: the fields of every kind, and what of them belongs to the kind that is chosen. */

/** Where files come from. */
export const SOURCE_KINDS = ['folder', 'sftp', 'https', 's3'] as const;
/** Where files are sent. */
export const DESTINATION_KINDS = ['published', 'folder', 'sftp', 'https', 's3'] as const;
export type Kind = (typeof SOURCE_KINDS)[number] | (typeof DESTINATION_KINDS)[number];
const KINDS: readonly Kind[] = [...SOURCE_KINDS, 'published'];
export const LOGINS = ['none', 'basic', 'bearer', 'header'] as const;

export interface ConnectionValues {
  readonly kind: Kind;
  readonly path: string;
  readonly url: string;
  readonly login: (typeof LOGINS)[number];
  readonly loginUser: string;
  readonly headerName: string;
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly hostKey: string;
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  /** The name of a published file. */
  readonly published: string;
}

export const NEW_CONNECTION: ConnectionValues = {
  ...{ kind: 'sftp', path: '', url: '', login: 'none', loginUser: '', headerName: '', host: '', port: '22' },
  ...{ user: '', hostKey: '', endpoint: '', region: '', bucket: '', prefix: '', accessKeyId: '', published: '' },
};

type Members = Readonly<Record<string, unknown>>;

export function connectionValuesOf(connection: Members): ConnectionValues {
  const textOf = (name: string) => (connection[name] == null ? '' : String(connection[name]));
  const auth = Object(connection.auth) as Members;
  return {
    kind: KINDS.find((kind) => kind === connection.kind) ?? 'folder',
    ...{ path: textOf('path'), url: textOf('url'), host: textOf('host'), port: textOf('port') || '22' },
    login: LOGINS.find((login) => login === auth.type) ?? 'none',
    ...{ loginUser: String(auth.user ?? ''), headerName: String(auth.name ?? ''), user: textOf('user') },
    ...{ hostKey: textOf('hostKey'), endpoint: textOf('endpoint'), region: textOf('region') },
    ...{ bucket: textOf('bucket'), prefix: textOf('prefix'), accessKeyId: textOf('accessKeyId') },
    published: textOf('name'),
  };
}

/** As the API takes it. What is wrong with it, the API says. */
export function connectionOf(values: ConnectionValues): Members {
  const { kind, path, url, host, user, hostKey, endpoint, region, bucket, prefix, accessKeyId } = values;
  const port = Number(values.port);
  switch (kind) {
    case 'folder':
      return { kind, path: path.trim() };
    case 'https':
      return { kind, url: url.trim(), ...loginOf(values) };
    case 'sftp':
      return {
        ...{ kind, host: host.trim(), port: Number.isNaN(port) ? values.port : port, user: user.trim() },
        ...{ path: path.trim(), hostKey: hostKey.trim() || null },
      };
    case 'published':
      return { kind, name: values.published };
    case 's3':
      return {
        ...{ kind, endpoint: endpoint.trim() || null, region: region.trim(), bucket: bucket.trim() },
        ...{ prefix, accessKeyId: accessKeyId.trim() },
      };
  }
}

export function needsSecret({ kind, login }: ConnectionValues): boolean {
  return kind === 'sftp' || kind === 's3' || (kind === 'https' && login !== 'none');
}

/** Whether a stored secret may stay: the API sends it to the server and user for which it was given, and to no others. */
export function hasSameRecipient(saved: Members, values: ConnectionValues): boolean {
  return recipientOf(saved) === recipientOf(connectionOf(values));
}

/** Where a file lies, as one line. */
export function placeOf(connection: Members): string {
  const { host, port, path, url, bucket, prefix, published } = connectionValuesOf(connection);
  switch (connection.kind) {
    case 'sftp':
      return `${host}${port === '22' ? '' : `:${port}`}${path === '' ? '' : `, ${path}`}`;
    case 's3':
      return `${bucket}/${prefix}`;
    case 'https':
      return url;
    case 'published':
      return published;
    default:
      return path;
  }
}

function recipientOf({ kind, url, auth, host, port, user, hostKey, endpoint, region, bucket, accessKeyId }: Members) {
  if (kind === 'folder' || kind === 'published') return kind;
  if (kind === 'sftp') return JSON.stringify([kind, host, port, user, hostKey ?? null]);
  if (kind === 's3') return JSON.stringify([kind, endpoint ?? null, region, bucket, accessKeyId]);
  const address = String(url);
  const { type, user: name, name: header } = Object(auth) as Members;
  return JSON.stringify([kind, URL.canParse(address) ? new URL(address).origin : address, type, name, header]);
}

function loginOf({ login, loginUser, headerName }: ConnectionValues) {
  if (login === 'none') return {};
  if (login === 'bearer') return { auth: { type: login } };
  return {
    auth: login === 'basic' ? { type: login, user: loginUser.trim() } : { type: login, name: headerName.trim() },
  };
}
