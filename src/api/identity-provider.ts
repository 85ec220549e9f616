/**
 * Asks an identity provider who somebody is, by OpenID Connect: the authorization code flow with PKCE. State, nonce and
 * verifier all follow from one secret, which is in a cookie of the browser that has begun: nothing is stored here.
 */
import { createHmac } from 'node:crypto';
import type {
  ClientAuth,
  Configuration,
  ServerMetadata,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from 'openid-client';
import type { ProviderConfig } from '../config/provider-config.js';
import type { ProviderIdentity } from '../domain/access/provider-people.js';
import { newSecret } from '../domain/access/secret-digests.js';
import { DomainError } from '../domain/kernel/errors.js';
import type { Logger } from '../platform/logger.js';
import { groupsIn } from './provider-claims.js';

/** A request to the provider. */
const TIMEOUT_SECONDS = 10;
/** How far its clock and ours may differ. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** What it says of itself is read again then; if it does not answer, what is known is used on. */
const KNOWN_FOR_MS = 3_600_000;
const MAX_SHOWN_CHARACTERS = 300;

/** A login that has begun. */
interface Begun {
  /** The address at the provider to which the browser goes. */
  readonly address: string;
  /** For the cookie of the browser. */
  readonly secret: string;
}

export interface IdentityProvider {
  readonly config: ProviderConfig;
  /** @param redirectUri where the provider sends the browser afterwards @throws DomainError unavailable */
  begin(redirectUri: string): Promise<Begun>;
  /**
   * Who has logged in at the provider.
   * @param callback the query that the provider has added to `redirectUri`
   * @param secret that of `begin`, as the browser sends it; undefined: it sends none
   * @throws DomainError unauthorized when the login did not begin in this browser, or the provider refuses or contradicts
   *   it; unavailable when the provider does not answer, or not as one
   */
  identify(redirectUri: string, callback: string, secret: string | undefined): Promise<ProviderIdentity>;
}

type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

export function createIdentityProvider(config: ProviderConfig, logger: Logger): IdentityProvider {
  const { issuer, clientId, clientSecret, name, scopes, groupsClaim } = config;
  let known: { readonly configuration: Configuration; readonly readAt: number } | undefined;
  let underway: Promise<Configuration> | undefined;

  async function discover(): Promise<Configuration> {
    const client = await load();
    const readAt = performance.now();
    const execute = [client.enableNonRepudiationChecks];
    // The configuration accepts such an issuer on this machine only.
    if (issuer.startsWith('http:')) execute.push(client.allowInsecureRequests);
    const metadata = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const authenticate = byEither(client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret));
    const options = { execute, timeout: TIMEOUT_SECONDS };
    const configuration = await client.discovery(new URL(issuer), clientId, metadata, authenticate, options);
    known = { configuration, readAt };
    return configuration;
  }

  /** Read when it is first needed: the process starts without the provider. */
  async function configured(): Promise<Configuration> {
    if (known !== undefined && performance.now() - known.readAt < KNOWN_FOR_MS) return known.configuration;
    underway ??= discover().finally(() => {
      underway = undefined;
    });
    try {
      return await underway;
    } catch (error) {
      logger.warn({ err: error, issuer }, 'the identity provider does not answer');
      if (known !== undefined) return known.configuration;
      throw away(error);
    }
  }

  function away(cause: unknown): DomainError {
    const message = `${name} does not answer as it should: try again shortly, or log in by a link. If it goes on, the operators find the reason in the log`;
    return new DomainError('unavailable', 'PROVIDER_AWAY', message, { cause });
  }

  function refused(why: string, cause?: unknown): DomainError {
    const shown = why.replace(/\p{C}/gu, ' ').slice(0, MAX_SHOWN_CHARACTERS);
    return new DomainError('unauthorized', 'PROVIDER_REFUSED', `the login by ${name} was refused: ${shown}`, { cause });
  }

  /** What an error of the library means. */
  async function meaningOf(error: unknown): Promise<DomainError> {
    const client = await load();
    if (error instanceof client.AuthorizationResponseError) {
      const { error: code, error_description: description } = error;
      return refused(description === undefined ? code : `${code} (${description})`, error);
    }
    if (error instanceof client.ResponseBodyError && error.error === 'invalid_grant') {
      return refused('it was used already, or took too long: begin again', error);
    }
    logger.warn({ err: error, issuer }, 'a login by the identity provider has failed');
    if (error instanceof client.ClientError && VALIDATION_CODES.has(error.code ?? '')) {
      return refused(
        `what it says is not valid (${error.message}): begin again, and tell the operators if it goes on`,
        error,
      );
    }
    return away(error);
  }

  async function claimsOf(configuration: Configuration, tokens: Tokens): Promise<Readonly<Record<string, unknown>>> {
    const claims = tokens.claims();
    if (claims === undefined) throw refused('it did not say who you are');
    const hasAll = groupsIn(claims, groupsClaim) !== undefined && claims.name !== undefined;
    if (hasAll || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    const client = await load();
    return { ...(await client.fetchUserInfo(configuration, tokens.access_token, claims.sub)), ...claims };
  }

  return {
    config,
    begin: async (redirectUri) => {
      const configuration = await configured();
      const client = await load();
      const secret = newSecret('lsp');
      const { state, nonce, verifier } = partsOf(secret);
      const address = client.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: redirectUri, scope: scopes, state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
      });
      return { address: address.href, secret };
    },
    identify: async (redirectUri, callback, secret) => {
      const { state, nonce, verifier } = partsOf(secret ?? '');
      // Before the provider is asked: what did not begin here costs nothing.
      if (secret === undefined || new URLSearchParams(callback).get('state') !== state) {
        throw refused(
          'it did not begin in this browser, or another one has begun since, or it took too long: begin again',
        );
      }
      const configuration = await configured();
      const client = await load();
      try {
        const checks = {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        };
        const tokens = await client.authorizationCodeGrant(
          configuration,
          new URL(`${redirectUri}?${callback}`),
          checks,
        );
        const claims = await claimsOf(configuration, tokens);
        const { name: full, preferred_username: user, email } = claims;
        const shown = [full, user, email].find((one) => typeof one === 'string' && one.trim() !== '');
        return {
          issuer: configuration.serverMetadata().issuer,
          subject: String(claims.sub),
          name: String(shown ?? claims.sub),
          groups: groupsIn(claims, groupsClaim) ?? [],
        };
      } catch (error) {
        throw error instanceof DomainError ? error : await meaningOf(error);
      }
    },
  };
}

/** Codes of errors by which the answer of the provider, or its token, is not valid for this login. */
const VALIDATION_CODES: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);

/** Loaded with the first login. */
function load() {
  return import('openid-client');
}

/** Nobody who has not the secret knows any of these, and none says anything of the others. */
function partsOf(secret: string): Readonly<Record<'state' | 'nonce' | 'verifier', string>> {
  const part = (what: string) => createHmac('sha256', secret).update(what).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier') };
}

/** By Basic, which every provider should support, unless this one says that it does not. */
function byEither(basic: ClientAuth, post: ClientAuth): ClientAuth {
  const supportsBasic = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata) =>
    methods === undefined || methods.includes('client_secret_basic');
  return (as, client, body, headers) => (supportsBasic(as) ? basic : post)(as, client, body, headers);
}
