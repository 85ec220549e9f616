/** A real OpenID provider on this machine, whose users log in with a click. Its tokens can be spoiled. */
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';

/** User → the claims. */
type Users = Record<string, Readonly<Record<string, unknown>>>;
type Claims = Record<string, unknown>;

export const CLIENT = { id: 'longshore', secret: 'a secret of the client with 40 characters' } as const;
/** Another client of the same provider. */
const OTHER = { id: 'another-client', secret: 'another secret of a client, 40 characters' } as const;

/** The published one, and another: a provider that is started again has the same. */
let keys: readonly [KeyObject, KeyObject] | undefined;

export interface TestProvider {
  readonly issuer: string;
  /** May be changed at any time. */
  readonly users: Users;
  /** Changes the claims of ID tokens before they are signed; undefined: they are as they should be. */
  spoil: ((claims: Claims) => Claims) | undefined;
  /** Signs ID tokens with a key that the provider does not publish. */
  signsWrongly: boolean;
  stop(): Promise<void>;
}

/**
 * @param redirectUri asked with the first request, where the client may be sent back
 * @param port 0: any
 */
export async function startTestProvider(redirectUri: () => string, port = 0): Promise<TestProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const users: Users = {};
  const world: TestProvider = {
    ...{ issuer, users, spoil: undefined, signsWrongly: false },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  let provider: Provider | undefined;
  server.on('request', (request, response) => {
    provider ??= makeProvider(world, redirectUri());
    const url = new URL(request.url ?? '', issuer);
    if (!url.pathname.startsWith('/interaction/')) {
      void provider.callback()(request, response);
      return;
    }
    const user = url.searchParams.get('user');
    if (user === null) {
      const buttons = Object.keys(users).map((one) => `<p><a href="?user=${one}">Log in as ${one}</a></p>`);
      response.setHeader('Content-Type', 'text/html; charset=utf-8').end(`<title>Provider</title>${buttons.join('')}`);
      return;
    }
    const result =
      user === ''
        ? { error: 'access_denied', error_description: 'the user has <cancelled>' }
        : { login: { accountId: user } };
    provider
      .interactionFinished(request, response, result)
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return world;
}

function makeProvider(world: TestProvider, redirectUri: string): Provider {
  keys ??= [newKey(), newKey()];
  const [right, wrong] = keys;
  const clients = [CLIENT, OTHER].map(({ id, secret }) => ({
    client_id: id,
    client_secret: secret,
    redirect_uris: [redirectUri],
  }));
  const provider = new Provider(world.issuer, {
    clients,
    jwks: { keys: [{ ...right.export({ format: 'jwk' }), kid: 'right', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['a key that signs the cookies of the provider'] },
    claims: { openid: ['sub'], profile: ['name', 'groups', 'realm_access'], email: ['email', 'email_verified'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ ...world.users[id], sub: id }) }),
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        ...(oidc.client === undefined ? {} : { clientId: oidc.client.clientId }),
        ...(oidc.session?.accountId === undefined ? {} : { accountId: oidc.session.accountId }),
      });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Grant: 600, Interaction: 600, Session: 600 },
  });
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    await next();
    const body = ctx.body as { id_token?: string } | undefined;
    if (ctx.path !== '/token' || typeof body?.id_token !== 'string') return;
    const { spoil = (claims: Claims) => claims, signsWrongly } = world;
    if (world.spoil !== undefined || signsWrongly)
      body.id_token = resigned(body.id_token, spoil, signsWrongly ? wrong : right);
  });
  return provider;
}

/**
 * Logs in at the provider as a browser does. @returns the query with which the browser is sent back
 * @param jar the cookies of the browser at the provider: with those of an earlier login nobody is asked
 * @param user empty: the person cancels
 */
export async function logInAt(address: string, user: string, jar = new Map<string, string>()): Promise<string> {
  const { origin } = new URL(address);
  let next = address;
  for (let hops = 0; hops < 10; hops++) {
    const url = new URL(next, origin);
    if (url.origin !== origin) return url.search.slice(1);
    if (url.pathname.startsWith('/interaction/')) url.searchParams.set('user', user);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const text = await answer.text();
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`the provider answered ${answer.status}: ${text}`);
    next = location;
  }
  throw new Error('the provider sends the browser round in circles');
}

function newKey(): KeyObject {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
}

function resigned(token: string, spoil: (claims: Claims) => Claims, key: KeyObject): string {
  const [header = '', payload = ''] = token.split('.');
  const claims = spoil(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
  return `${signed}.${createSign('RSA-SHA256').update(signed).sign(key, 'base64url')}`;
}
