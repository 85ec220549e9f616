/** The forms of REDIS_URL: one server, servers behind Sentinels, and a Cluster. */

interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
}

type RedisAddress =
  | { readonly kind: 'server'; readonly tls: boolean; readonly url: string }
  | ({
      readonly kind: 'sentinel';
      readonly tls: boolean;
      readonly nodes: readonly RedisNode[];
      /** The name by which the Sentinels know the primary server. */
      readonly master: string;
      readonly database: number;
      /** Where the Sentinels have a login of their own. */
      readonly sentinelLogin: Login;
    } & Login)
  | ({ readonly kind: 'cluster'; readonly tls: boolean; readonly nodes: readonly RedisNode[] } & Login);

const FORM = /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const DEFAULT_PORT = { sentinel: 26_379, cluster: 6_379 } as const;
const MAX_PORT = 65_535;

/** @throws Error that says which form was expected */
export function parseRedisUrl(text: string): RedisAddress {
  const [, scheme, kind, login = '', hosts = '', path = '', query = ''] = FORM.exec(text) ?? [];
  if (scheme === undefined) throw expected('a URL that begins with redis:// or rediss://, or one of its other forms');
  const tls = scheme === 'rediss';
  if (kind === undefined) {
    if (hosts.includes(',')) {
      throw expected(`${scheme}+cluster:// or ${scheme}+sentinel:// before a list of several hosts`);
    }
    if (!URL.canParse(text) || !/^(?:\d{1,5}\/?)?$/.test(path)) {
      throw expected(`${scheme}://user:password@host:port/database, where the database is a number such as 0`);
    }
    return { kind: 'server', tls, url: text };
  }
  const form = kind === 'sentinel' ? 'sentinel' : 'cluster';
  const common = { tls, nodes: hosts.split(',').map((host) => nodeOf(host, DEFAULT_PORT[form])), ...loginOf(login) };
  const segments = path.split('/').filter((segment) => segment !== '');
  if (form === 'cluster') {
    if (segments.length > 0)
      throw expected(`${scheme}+cluster://host:port,host:port without a database: it has only one`);
    return { kind: 'cluster', ...common };
  }
  const [master, database = '0', ...rest] = segments.map(decode);
  if (master === undefined || rest.length > 0 || !/^\d{1,5}$/.test(database)) {
    throw expected(`${scheme}+sentinel://host:port,host:port/name-of-the-primary, and maybe /database`);
  }
  const options = new URLSearchParams(query);
  const sentinelLogin = {
    username: options.get('sentinelUsername') ?? undefined,
    password: options.get('sentinelPassword') ?? undefined,
  };
  return { kind: 'sentinel', ...common, master, database: Number(database), sentinelLogin };
}

/** Whether all keys with this prefix are in one slot of a Cluster, as scripts with several keys need it. */
export function hasHashTag(prefix: string): boolean {
  return /^[^{]*\{[^}]+\}/.test(prefix);
}

function nodeOf(text: string, defaultPort: number): RedisNode {
  const [, host, bare, port] = /^(?:(\[[0-9a-fA-F:.]+\])|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  const number = port === undefined ? defaultPort : Number(port);
  const name = host?.slice(1, -1) ?? bare;
  if (name === undefined || number === 0 || number > MAX_PORT) throw expected(`host:port in place of "${text}"`);
  return { host: name, port: number };
}

function loginOf(text: string): Login {
  const [, username = '', password = ''] = /^([^:]*)(?::(.*))?$/.exec(text) ?? [];
  return { username: decode(username) || undefined, password: decode(password) || undefined };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw expected('special characters of names and passwords as %40 for @');
  }
}

function expected(form: string): Error {
  return new Error(`expected ${form}`);
}
