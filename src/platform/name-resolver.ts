/** Resolves names without the thread pool, where a few servers that never answer would delay all look-ups. */
import { Resolver } from 'node:dns';
import { lookup } from 'node:dns/promises';

/** The name servers of this machine answer no query at all: the name is not the cause. */
class ResolverOutOfReachError extends Error {
  override readonly name = 'ResolverOutOfReachError';
}

interface NameResolverOptions {
  /** `address:port` of the name servers. Default: those of this machine. */
  readonly servers?: readonly string[];
  /** How long the first try waits. The second waits twice as long. */
  readonly timeoutMs?: number;
}

/** Together with the second try and the query for the root, this is less than the time-out of a connection. */
const TIMEOUT_MS = 1_000;
const TRIES = 2;
/** Codes by which name servers say that there is no such name. */
const NOTHING_FOUND = new Set(['ENOTFOUND', 'ENODATA']);
/** Codes of queries that got no answer. */
const NO_ANSWER = new Set(['ETIMEOUT', 'ECONNREFUSED', 'ECANCELLED']);

/**
 * @returns a function that finds all addresses of a name. It throws the error of the name servers, with its `code`, or
 *   ResolverOutOfReachError
 */
export function createNameResolver(options: NameResolverOptions = {}): (name: string) => Promise<readonly string[]> {
  return async (name) => {
    const resolver = open(options, TRIES);
    const [v4, v6] = await Promise.all([ask(resolver, name, 'A'), ask(resolver, name, 'AAAA')]);
    const addresses = [...v4.addresses, ...v6.addresses];
    if (addresses.length > 0) return addresses;
    const errors = [v4.error, v6.error].filter((error) => error !== null);
    // Only getaddrinfo knows the hosts file and the search list of this machine. It is fast here, because the name
    // servers have just answered.
    if (errors.every(({ code }) => NOTHING_FOUND.has(code ?? ''))) {
      return (await lookup(name, { all: true })).map(({ address }) => address);
    }
    const failed = errors.find(({ code }) => !NOTHING_FOUND.has(code ?? '')) ?? new Error(`${name} has no address`);
    if (errors.some(({ code }) => NO_ANSWER.has(code ?? '')) && !(await answersAtAll(open(options, 1)))) {
      throw new ResolverOutOfReachError(`the name servers do not answer (${failed.message})`, { cause: failed });
    }
    throw failed;
  };
}

function open({ servers, timeoutMs = TIMEOUT_MS }: NameResolverOptions, tries: number): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers !== undefined) resolver.setServers(servers);
  return resolver;
}

interface Answer {
  readonly addresses: readonly string[];
  readonly error: NodeJS.ErrnoException | null;
}

function ask(resolver: Resolver, name: string, kind: 'A' | 'AAAA'): Promise<Answer> {
  return new Promise((resolve) => {
    const answered = (error: NodeJS.ErrnoException | null, addresses: readonly string[]) =>
      resolve({ addresses: error === null ? addresses : [], error });
    if (kind === 'A') resolver.resolve4(name, answered);
    else resolver.resolve6(name, answered);
  });
}

/** Whether the name servers answer, even by a refusal, a query for the root servers, which every name server knows. */
function answersAtAll(resolver: Resolver): Promise<boolean> {
  return new Promise((resolve) => {
    resolver.resolveNs('.', (error) => resolve(error === null || !NO_ANSWER.has(error.code ?? '')));
  });
}
